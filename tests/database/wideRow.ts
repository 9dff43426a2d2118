/**
 * Runs a statement on a SQLite file in a process of its own; prints the fault, and the most memory that the process had.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { Database, SqliteDatabase } from "../../src/database/mod.ts"

const [, , path = "", kind = "", ...sql] = process.argv
const run: Effect.Effect<unknown, { readonly faultKind: string }, Database> = kind === "query"
  ? Database.query(sql.join(" "))
  : Database.execute(sql.join(" "))
const faultKind = await Effect.runPromise(
  Effect.provide(
    Effect.match(run, { onSuccess: () => "none", onFailure: (fault) => fault.faultKind }),
    SqliteDatabase.layer({ path }),
  ),
)
const peak = Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1])
console.log(JSON.stringify({ faultKind, peakKilobytes: peak }))
