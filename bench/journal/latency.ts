/** Measures the time from the append of an entry until a tail has it. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { Journal } from "../../src/journal/Journal.ts"
import type { Values } from "../rows/Row.ts"
import type { Job } from "./Job.ts"
import { layerOf } from "./journals.ts"

const samples = 400

/** Wall-clock time with fractions, the same in all processes of the machine. */
const now = (): number => performance.timeOrigin + performance.now()

const quantiles = (times: ReadonlyArray<number>): Values => {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ??
      NaN
  return { p50: at(0.5), p99: at(0.99) }
}

const ping = { branch: "bench", correlationId: "ping" }

/** Appends so many entries that say when they were, with pauses. */
export const appendPings = (store: string, job: Job): Promise<void> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    for (let n = 0; n < samples; n++) {
      yield* journal.append([{ ...ping, body: { _tag: "Ping", at: now() } }])
      yield* Effect.sleep(3 + n % 5)
    }
  }).pipe(Effect.provide(layerOf(store, job)), Effect.runPromise)

const collect = Effect.gen(function* () {
  const journal = yield* Journal
  const times: Array<number> = []
  yield* journal.tail({ filter: { tags: ["Ping"] } }).pipe(
    Stream.take(samples),
    Stream.runForEach((entry) => Effect.sync(() => times.push(now() - Number(entry.body?.["at"])))),
  )
  // The first ones warm the code up.
  return quantiles(times.slice(40))
})

/** In one process. */
export const localLatency = (store: string, job: Job): Promise<Values> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const reader = yield* Effect.forkChild(collect)
    for (let n = 0; n < samples; n++) {
      yield* Effect.sleep(3 + n % 5)
      yield* journal.append([{ ...ping, body: { _tag: "Ping", at: now() } }])
    }
    return yield* Fiber.join(reader)
  }).pipe(Effect.provide(layerOf(store, job)), Effect.runPromise)

/** From a process that writes to another that reads. */
export const otherLatency = (store: string, job: Job): Promise<Values> =>
  Effect.gen(function* () {
    const args = "Deno" in globalThis ? ["run", "-A", "--quiet"] : []
    const file = `${import.meta.dirname}/measure.ts`
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [
          ...args,
          file,
          "pings",
          store,
          "os",
          JSON.stringify(job),
        ], {
          stdio: ["ignore", "ignore", "inherit"],
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL")),
    )
    // The file of lines is made by its writer.
    while (
      store === "ndjson" && !existsSync(join(job.folder, "journal.ndjson"))
    ) yield* Effect.sleep(10)
    return yield* Effect.provide(collect, layerOf(store, job, "read"))
  }).pipe(Effect.scoped, Effect.runPromise)
