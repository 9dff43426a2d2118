/** Loads `node:sqlite` and the other built-in modules of the SQLite store. */
import type * as NodeFs from "node:fs"
import type * as NodeOs from "node:os"
import type * as NodePath from "node:path"
import type * as NodeUrl from "node:url"
import type * as NodeThreads from "node:worker_threads"
import { nodeBuiltins } from "../../../base/nodeBuiltins.ts"
import { findSqlite, type NodeSqlite } from "../../../sql/nodeSqlite.ts"
import { JournalError } from "../../JournalError.ts"

export interface Builtins {
  readonly sqlite: NodeSqlite
  readonly fs: typeof NodeFs
  readonly os: typeof NodeOs
  readonly path: typeof NodePath
  readonly url: typeof NodeUrl
  readonly threads: typeof NodeThreads
}

export const loadBuiltins = (): Builtins => {
  const process = nodeBuiltins()
  const sqlite = findSqlite(process)
  if (process === undefined || sqlite === undefined) {
    throw JournalError.because(
      { _tag: "Failed" },
      "journal: a SQLite journal was not opened: this runtime has no node:sqlite; " +
        "use Deno 2.2, Bun 1.3 or Node 22.19, or later",
    )
  }
  return {
    sqlite,
    fs: process.getBuiltinModule("node:fs"),
    os: process.getBuiltinModule("node:os"),
    path: process.getBuiltinModule("node:path"),
    url: process.getBuiltinModule("node:url"),
    threads: process.getBuiltinModule("node:worker_threads"),
  }
}
