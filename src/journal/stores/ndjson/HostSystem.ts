/**
 * Loads the file system, path, process and buffer functions that the NDJSON store uses, without an import statement.
 *
 * The package must load where there are no built-in modules.
 */
import type * as NodeBuffer from "node:buffer"
import type * as NodeFs from "node:fs"
import type * as NodeOs from "node:os"
import type * as NodePath from "node:path"
import { nodeBuiltins } from "../../../base/nodeBuiltins.ts"
import { JournalError } from "../../JournalError.ts"

/** The functions of `node:fs`; tests replace some to simulate a failing disk. */
export type Files = typeof NodeFs

export type Bytes = NodeBuffer.Buffer

export interface HostSystem {
  readonly files: Files
  readonly path: Pick<typeof NodePath, "basename" | "dirname" | "join" | "resolve">
  readonly pid: number
  /** The host name; `""` without the permission to read it. */
  readonly host: string
  readonly readText: (path: string) => string
  readonly bytes: (length: number) => Bytes
  readonly encode: (text: string, encoding: "utf8" | "latin1") => Bytes
  /** Checks whether a process exists: `kill(2)` with signal 0. */
  readonly kill: (pid: number, signal: 0) => unknown
  readonly appendFlags: number
}

const hostname = (os: typeof NodeOs): string => {
  try {
    return os.hostname()
  } catch {
    // Deno requires a permission.
    return ""
  }
}

export const loadHostSystem = (): HostSystem => {
  const found = nodeBuiltins()
  if (found === undefined) {
    throw JournalError.because({ _tag: "Failed" }, "journal: no file was opened: this runtime has no node:fs")
  }
  const { Buffer } = found.getBuiltinModule("node:buffer")
  const fs = found.getBuiltinModule("node:fs")
  return {
    files: fs,
    path: found.getBuiltinModule("node:path"),
    pid: found.pid,
    host: hostname(found.getBuiltinModule("node:os")),
    readText: (path) => fs.readFileSync(path, "utf8"),
    bytes: (length) => Buffer.allocUnsafe(length),
    encode: (text, encoding) => Buffer.from(text, encoding),
    kill: (pid, signal) => found.kill(pid, signal),
    appendFlags: fs.constants.O_RDWR | fs.constants.O_APPEND,
  }
}
