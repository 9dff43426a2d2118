/**
 * SQLite's own check of a file, beside the event loop.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Builtins } from "./driver.ts"

/** It takes about a second for a gigabyte, and SQLite does not pause: so it runs in a thread. */
const program = `
const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
const database = new DatabaseSync(workerData, { readOnly: true })
const [row] = database.prepare("PRAGMA integrity_check(1)").all()
database.close()
parentPort.postMessage(String(Object.values(row)[0]))
`

/** The first thing that does not fit in a file, or `"ok"`; fails where no thread, or no second connection, is to be had. */
export const checkIntegrity = ({ threads }: Builtins, path: string): Effect.Effect<string, unknown> =>
  Effect.callback<string, unknown>((resume) => {
    let worker: InstanceType<typeof threads.Worker>
    try {
      worker = new threads.Worker(program, { eval: true, workerData: path })
    } catch (error) {
      return resume(Effect.fail(error))
    }
    let answer: Effect.Effect<string, unknown> = Effect.fail("the thread ended without an answer")
    worker.on("message", (text: unknown) => {
      answer = Effect.succeed(String(text))
    })
    worker.on("error", (error: unknown) => {
      answer = Effect.fail(error)
    })
    // When it is gone: nothing outlives the check.
    worker.on("exit", () => resume(answer))
    return Effect.promise(() => worker.terminate())
  })
