import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { type Entry, Journal, type JournalError } from "@sluice/shell/journal"
import { PostgresJournal } from "@sluice/shell/journal/postgres"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundled } from "../support/bundled.ts"
import { postgresIsHere, useServer } from "../support/postgres.ts"
import { random } from "../support/random.ts"
import { rounds } from "../support/rounds.ts"

/** Kills for each store. */
const kills = rounds(70)

/** On a machine that is busy, where a process takes seconds to start, there are fewer. */
const patienceMillis = 90_000

type Acknowledged = ReadonlyArray<readonly [position: number, n: number]>

/** Runs a writer and kills it some milliseconds after its first word. */
const killed = (writer: string, store: string, place: string, name: string, millis: number) =>
  Effect.callback<Acknowledged, Error>((resume) => {
    const before = "Deno" in globalThis ? ["run", "-A", "--quiet", "--no-config"] : []
    const child = spawn(process.execPath, [...before, writer, store, place, name], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    let out = ""
    let err = ""
    let begun = false
    child.stderr.on("data", (bytes) => (err += String(bytes)))
    child.stdout.on("data", (bytes) => {
      out += String(bytes)
      if (begun) return
      begun = true
      setTimeout(() => child.kill("SIGKILL"), millis)
    })
    child.on("close", (_, signal) => {
      if (signal !== "SIGKILL") return resume(Effect.fail(new Error(`the writer ended by itself: ${err}`)))
      // A word that was cut off was not said; what the journal says of its repair is no word.
      resume(Effect.succeed(
        out.split("\n").slice(0, -1).filter((line) => /^\d+ \d+$/.test(line)).map((line): readonly [number, number] => {
          const [position = NaN, n = NaN] = line.split(" ").map(Number)
          return [position, n]
        }),
      ))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-crash-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
)

interface Kind {
  readonly store: string
  readonly place: (folder: string) => string
  /** The journal, to write and to look on. */
  readonly layer: (place: string, mode: "write" | "read") => Layer.Layer<Journal, JournalError>
}

const survives = ({ layer, place: placeIn, store }: Kind) =>
  Effect.gen(function* () {
    const folder = yield* temporary
    const writer = yield* Effect.promise(() => bundled("tests/journal/crash.fixture.ts"))
    const place = placeIn(folder)
    const { int } = random(store.length * 1_000 + process.pid % 1_000)
    const acknowledged: Array<readonly [name: string, position: number, n: number]> = []
    const check = (entries: ReadonlyArray<Entry>): void => {
      expect(entries.map((entry) => entry.position)).toEqual(entries.map((_, index) => index + 1))
      for (const [name, position, n] of acknowledged) {
        expect(entries[position - 1]).toMatchObject({ position, body: { name, n } })
      }
    }
    // It makes the place, and is gone before the first writer comes.
    yield* Effect.provide(Effect.flatMap(Journal, (journal) => journal.head), layer(place, "write"))
    const seen: Array<Entry> = []
    const tail = yield* Effect.flatMap(Journal, (journal) =>
      journal.tail().pipe(Stream.runForEach((entry) => Effect.sync(() => seen.push(entry))))).pipe(
        Effect.provide(layer(place, "read")),
        Effect.forkChild,
      )
    const start = performance.now()
    for (let round = 0; round < kills && performance.now() - start < patienceMillis; round++) {
      const words = yield* killed(writer, store, place, `w${round}`, int(0, 25))
      expect(words.length).toBeGreaterThan(0)
      for (const [position, n] of words) {
        acknowledged.push([`w${round}`, position, n])
      }
    }
    // Opening it to write mends what the last one left.
    const entries = yield* Effect.gen(function* () {
      const journal = yield* Journal
      const { position } = yield* journal.head
      expect((yield* journal.verify()).entries).toBe(position)
      const all: Array<Entry> = []
      while (all.length < position) {
        all.push(...(yield* journal.read({ after: all.length, maxEntries: 10_000 })))
      }
      while (seen.length < position) {
        if (tail.pollUnsafe() !== undefined) {
          return yield* Effect.die(yield* Fiber.await(tail))
        }
        yield* Effect.sleep(20)
      }
      return all
    }).pipe(Effect.provide(layer(place, "write")))
    check(entries)
    // Who looked on all the time saw what the file has, and nothing that it has no more.
    expect(seen.map(({ hash, position }) => [position, hash])).toEqual(
      entries.map(({ hash, position }) => [position, hash]),
    )
    yield* Fiber.interrupt(tail)
  })

const timeout = 180_000

describe("a journal whose writers are killed again and again keeps all acknowledged entries", () => {
  it.live("SQLite", () =>
    survives({
      store: "sqlite",
      place: (folder) => join(folder, "journal.db"),
      layer: (path) => SqliteJournal.layer({ path }),
    }), timeout)

  describe.runIf(postgresIsHere)("PostgreSQL", () => {
    const server = useServer()
    it.live("on a server that lives on", () =>
      survives({
        store: "postgres",
        place: () =>
          `postgres://sluice:${Redacted.value(server().password)}@127.0.0.1:${server().port}/postgres?sslmode=disable`,
        layer: (url) => PostgresJournal.layer({ url: Redacted.make(url) }),
      }), timeout)
  })
})
