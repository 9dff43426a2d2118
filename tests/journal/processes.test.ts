import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { type Entry, Journal, JournaledShell } from "@sluice/shell/journal"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findRuntime, runtimeNames } from "../../scripts/runtimes.mjs"
import { rounds } from "../support/rounds.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const fixture = fileURLToPath(new URL("./writer.fixture.ts", import.meta.url))

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-journal-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
)

/** Runs the writer on a runtime; answers with what it says was acknowledged. */
const writes = (runtime: (typeof runtimeNames)[number], path: string, count: number) =>
  Effect.callback<ReadonlyArray<readonly [position: number, n: number]>, Error>((resume) => {
    const program = findRuntime(runtime, root)
    if (program === undefined) return resume(Effect.fail(new Error(`no ${runtime}`)))
    const before = runtime === "deno" ? ["run", "-A", "--quiet"] : []
    const child = execFile(program, [...before, fixture, path, runtime, String(count)], (error, stdout, stderr) => {
      if (error !== null) return resume(Effect.fail(new Error(`${runtime}: ${stderr}`)))
      resume(Effect.succeed(
        stdout.trim().split("\n").map((line): readonly [number, number] => {
          const [position = NaN, n = NaN] = line.split(" ").map(Number)
          return [position, n]
        }),
      ))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("one SQLite file", () => {
  it.live(
    "is written by a process of each runtime while another tails it: nothing is missed, moved or repeated",
    () =>
      Effect.gen(function* () {
        const path = join(yield* temporary, "journal.db")
        const count = 300
        const seen: ReadonlyArray<Entry> = yield* Effect.gen(function* () {
          const journal = yield* Journal
          const total = count * runtimeNames.length
          const tail = yield* Effect.forkChild(journal.tail().pipe(Stream.take(total), Stream.runCollect))
          const acknowledged = yield* Effect.forEach(runtimeNames, (runtime) => writes(runtime, path, count), {
            concurrency: "unbounded",
          })
          const entries = yield* Fiber.join(tail)
          runtimeNames.forEach((name, index) => {
            // Every reader reads what the writer was told.
            expect(acknowledged[index]).toHaveLength(count)
            for (const [position, n] of acknowledged[index] ?? []) {
              expect(entries[position - 1]).toMatchObject({ position, body: { name, n } })
            }
          })
          expect((yield* journal.verify()).entries).toBe(total)
          return entries
        }).pipe(Effect.provide(SqliteJournal.layer({ path })))
        expect(seen.map((entry) => entry.position)).toEqual(seen.map((_, index) => index + 1))
        for (const name of runtimeNames) {
          const own = seen.filter((entry) => entry.correlationId === name).map((entry) => entry.body?.["n"])
          expect(own).toEqual(Array.from({ length: count }, (_, n) => n))
        }
      }),
  )

  it.live(
    "delivers the entries of many commands to fifty tails, each once and in order",
    () =>
      Effect.gen(function* () {
        const path = join(yield* temporary, "journal.db")
        const store = SqliteJournal.layer({ path })
        yield* Effect.gen(function* () {
          const journal = yield* Journal
          const commands = Array.from(
            { length: rounds(1_000) },
            (_, n) => ShellExec.make("echo", [String(n)], { commandId: `c${n}` }),
          )
          const done = (entry: Entry): boolean => entry.tag === "ShellOutput"
          // Half of them follow everything, half only how commands end.
          const tails = yield* Effect.forEach(Array.from({ length: 50 }, (_, n) => n), (n) =>
            Effect.forkChild(
              journal.tail(n % 2 === 0 ? {} : { filter: { tags: ["ShellOutput"] } }).pipe(
                Stream.mapAccum(() => 0, (ended, entry) => {
                  const now = done(entry) ? ended + 1 : ended
                  return [now, [{ position: entry.position, ended: now }]]
                }),
                Stream.takeUntil(({ ended }) => ended === commands.length),
                Stream.map(({ position }) => position),
                Stream.runCollect,
              ),
            ))
          // Not `Effect.forEach`: with a limit it can run an item twice (Effect 4.1.0).
          yield* Stream.fromIterable(commands).pipe(
            Stream.mapEffect((command) => Stream.runDrain(Shell.exec(command)), { concurrency: 8 }),
            Stream.runDrain,
          )
          const seen = yield* Effect.forEach(tails, Fiber.join)
          const all = (yield* journal.read({ maxEntries: 100_000 })).map((entry) => entry.position)
          const ends = (yield* journal.read({ maxEntries: 100_000, filter: { tags: ["ShellOutput"] } })).map((e) =>
            e.position
          )
          expect(ends).toHaveLength(commands.length)
          seen.forEach((positions, n) => expect(positions).toEqual(n % 2 === 0 ? all : ends))
          yield* journal.verify()
        }).pipe(Effect.provide(
          JournaledShell.layer.pipe(
            Layer.provide(LocalShell.layerWith({ maxConcurrency: 8 })),
            Layer.provideMerge(store),
          ),
        ))
      }),
  )
})
