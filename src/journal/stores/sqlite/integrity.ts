/**
 * Checks of a whole file by SQLite, beside the event loop.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Builtins } from "./driver.ts"

/**
 * Two checks of SQLite: the first answers with `"ok"`, or with what does not fit; the second with the position of an entry
 * that has a zero byte in a text, or with 0. Deno's `node:sqlite` reads a text up to its first zero byte, so the chain
 * does not cover what stands behind it. No text of an entry has one: JSON escapes it.
 */
const checks: readonly [integrity: string, zeroByte: string] = [
  "PRAGMA integrity_check(1)",
  `SELECT ifnull((SELECT position FROM entries WHERE instr(body, char(0)) OR instr(hash, char(0))
    OR instr(correlation_id, char(0)) OR instr(tag, char(0)) OR instr(branch, char(0)) LIMIT 1), 0)`,
]

/** What the checks find. */
export interface Findings {
  /** `"ok"`, or the first thing that does not fit. */
  readonly integrity: string
  /** Position of an entry that has a zero byte in a text; 0 when none has. */
  readonly zeroByte: number
}

/** Runs the checks; `ask` answers with the first cell of a query. */
export const findingsOf = (ask: (sql: string) => unknown): Findings => {
  const integrity = String(ask(checks[0]))
  return { integrity, zeroByte: integrity === "ok" ? Number(ask(checks[1])) : 0 }
}

/** It takes about a second for a gigabyte, and SQLite does not pause: so it runs in a thread. */
const program = `
const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
const { checks, path } = workerData
const database = new DatabaseSync(path, { readOnly: true })
const [integrity, zeroByte] = checks
const ask = (sql) => String(Object.values(database.prepare(sql).get())[0])
const found = ask(integrity)
const position = found === "ok" ? ask(zeroByte) : "0"
database.close()
parentPort.postMessage(position + " " + found)
`

/** Checks a file in a thread; fails where no thread, or no second connection, is to be had. */
export const checkIntegrity = ({ threads }: Builtins, path: string): Effect.Effect<Findings, unknown> =>
  Effect.callback<Findings, unknown>((resume) => {
    let worker: InstanceType<typeof threads.Worker>
    try {
      worker = new threads.Worker(program, { eval: true, workerData: { checks, path } })
    } catch (error) {
      return resume(Effect.fail(error))
    }
    let answer: Effect.Effect<Findings, unknown> = Effect.fail("the thread ended without an answer")
    worker.on("message", (text: unknown) => {
      const [zeroByte = "", ...integrity] = String(text).split(" ")
      answer = Effect.succeed({ integrity: integrity.join(" "), zeroByte: Number(zeroByte) })
    })
    worker.on("error", (error: unknown) => {
      answer = Effect.fail(error)
    })
    // When it is gone: nothing outlives the check.
    worker.on("exit", () => resume(answer))
    return Effect.promise(() => worker.terminate())
  })
