/** Measures the cost of a journal for journaled commands. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { type Job, type MeasureCase, timed, type Values } from "../rows/Row.ts"
import { lineLength } from "../tools/Tool.ts"

/** The local leaf: `raw` without a journal, `sluice` with one in SQLite. */
const layerOf = async (
  id: string,
  job: Job,
): Promise<Layer.Layer<Shell, unknown>> => {
  if (id === "raw") return LocalShell.layer
  const { JournaledShell } = await import("../../src/compute/journal.ts")
  const { SqliteJournal } = await import("../../src/journal/sqlite.ts")
  return JournaledShell.layer.pipe(
    Layer.provide(LocalShell.layer),
    Layer.provide(SqliteJournal.layer({ path: join(job.folder, "runs.db") })),
  )
}

/** Reads the lines of a command that writes so many bytes, faster than they are read. */
export const readLines = (job: Job) => (bytes: number): Effect.Effect<number, unknown, Shell> => {
  const { args, file } = job.writer(bytes)
  return Stream.runFold(
    Shell.exec(ShellExec.make(file, args)),
    () => 0,
    (
      seen,
      event,
    ) => (event._tag === "ShellOutput" ? seen : seen + event.content.length),
  )
}

/** Millions of lines a second of a reader of so many bytes, after a quarter of them (at most 60 MB). */
export const millionsPerSecond = async (
  bytes: number,
  read: (bytes: number) => Promise<number>,
): Promise<Values> => {
  await read(
    Math.min(Math.ceil(bytes / 4 / lineLength) * lineLength, 60_000_000),
  )
  let seen = 0
  const ms = await timed(async () => (seen = await read(bytes)))
  if (seen !== bytes) throw new Error(`${seen} of ${bytes} bytes`)
  return { millionsPerSecond: seen / lineLength / ms / 1000 }
}

/** Millions of lines a second. */
export const lines: MeasureCase = async (id, job) => {
  const read = readLines(job)
  const runs = Effect.gen(function* () {
    const context = yield* Effect.context<Shell>()
    return yield* Effect.promise(() =>
      millionsPerSecond(
        job.sizes.journalBytes,
        (bytes) => Effect.runPromise(Effect.provide(read(bytes), context)),
      )
    )
  })
  return await Effect.runPromise(Effect.provide(runs, await layerOf(id, job)))
}

/** Milliseconds of one command that does nothing, one after the other. */
export const spawns: MeasureCase = async (id, job) => {
  const once = Effect.suspend(() => Stream.runDrain(Shell.exec(ShellExec.make(job.nothing.file))))
  const runs = Effect.gen(function* () {
    for (let n = 0; n < 100; n++) yield* once
    const start = performance.now()
    for (let n = 0; n < job.sizes.spawns; n++) yield* once
    return { ms: (performance.now() - start) / job.sizes.spawns }
  })
  return await Effect.runPromise(Effect.provide(runs, await layerOf(id, job)))
}
