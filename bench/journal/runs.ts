/** What a journal costs the commands that are journaled. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { JournaledShell } from "../../src/compute/journal.ts"
import type { Values } from "../rows/Row.ts"
import { lineLength } from "../tools/Tool.ts"
import type { Job } from "./Job.ts"

const layers = (journaled: boolean, job: Job): Layer.Layer<Shell, unknown> =>
  journaled
    ? JournaledShell.layer.pipe(
      Layer.provide(LocalShell.layer),
      Layer.provide(SqliteJournal.layer({ path: join(job.folder, "runs.db") })),
    )
    : LocalShell.layer

/** Millions of lines a second of a command that writes faster than we read. */
export const lines = (journaled: boolean, job: Job): Promise<Values> =>
  Effect.gen(function* () {
    const read = (bytes: number) =>
      Stream.runFold(
        Shell.exec(ShellExec.make(job.writer, [String(bytes)])),
        () => 0,
        (seen, event) => event._tag === "ShellOutput" ? seen : seen + event.content.length,
      )
    yield* read(lineLength * 1000)
    const start = performance.now()
    const seen = yield* read(job.lineBytes)
    const ms = performance.now() - start
    if (seen !== job.lineBytes) {
      throw new Error(`${seen} of ${job.lineBytes} bytes`)
    }
    return { millionsPerSecond: seen / lineLength / ms / 1000 }
  }).pipe(Effect.provide(layers(journaled, job)), Effect.runPromise)

/** Milliseconds of one command that does nothing, one after the other. */
export const spawns = (journaled: boolean, job: Job): Promise<Values> =>
  Effect.gen(function* () {
    const once = Effect.suspend(() => Stream.runDrain(Shell.exec(ShellExec.make("/bin/true"))))
    for (let n = 0; n < 20; n++) yield* once
    const start = performance.now()
    for (let n = 0; n < job.spawns; n++) yield* once
    return { ms: (performance.now() - start) / job.spawns }
  }).pipe(Effect.provide(layers(journaled, job)), Effect.runPromise)
