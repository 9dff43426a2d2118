/**
 * Hosts that run commands whose output comes whole, killed at random moments.
 *
 * SLUICE_KILLS: how often, for each store.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { Audit } from "@sluice/shell/audit"
import { type Entry, Journal, type JournalError } from "@sluice/shell/journal"
import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { spawn } from "node:child_process"
import { canonicalJson } from "../../src/base/canonicalJson.ts"
import { sha256 } from "../../src/base/sha256.ts"
import { bundled } from "../support/bundled.ts"
import { eventually } from "../support/eventually.ts"
import { random } from "../support/random.ts"
import { workshop } from "../support/workshop.ts"

const kills = Number(process.env["SLUICE_KILLS"] ?? 4)

const stores: Readonly<Record<string, (path: string, mode: "write" | "read") => Layer.Layer<Journal, JournalError>>> = {
  sqlite: (path, mode) => SqliteJournal.layer({ path, readOnly: mode === "read" }),
  ndjson: (path, mode) => NdjsonJournal.layer({ path, mode }),
}

/** Runs a host and kills it some milliseconds after it has said `after`; the entries that it was answered for. */
const killed = (host: string, store: string, path: string, name: string, after: string, millis: number) =>
  Effect.callback<ReadonlyMap<number, string>, Error>((resume) => {
    const before = "Deno" in globalThis ? ["run", "-A", "--quiet", "--no-config"] : []
    const child = spawn(process.execPath, [...before, host, store, path, name], { stdio: ["ignore", "pipe", "pipe"] })
    let [said, err, isDoomed] = ["", "", false]
    child.stderr.on("data", (bytes) => (err += String(bytes)))
    child.stdout.on("data", (bytes) => {
      said += String(bytes)
      if (isDoomed || !said.includes(after)) return
      isDoomed = true
      setTimeout(() => child.kill("SIGKILL"), millis)
    })
    child.on("close", (_, signal) => {
      if (signal !== "SIGKILL") return resume(Effect.fail(new Error(`the host ended by itself: ${err}`)))
      // A line that was cut off was not said; what the journal says of its repair is none.
      const lines = said.split("\n").slice(0, -1).flatMap((line) => {
        const [, position, hash] = /^(\d+) ([0-9a-f]{64}) /.exec(line) ?? []
        return position === undefined || hash === undefined ? [] : [[Number(position), hash] as const]
      })
      resume(Effect.succeed(new Map(lines)))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const hashOf = ({ body }: Entry): string => body === undefined ? "" : sha256(canonicalJson(body))

/** All entries after a position. */
const entriesAfter = (position: number) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const all: Array<Entry> = []
    for (let some = yield* journal.read({ after: position, maxEntries: 1_000 }); some.length > 0;) {
      all.push(...some)
      some = yield* journal.read({ after: all.at(-1)?.position ?? 0, maxEntries: 1_000 })
    }
    return all
  })

const textOf = (record: Audit.CommandRecord, name: "stdout" | "stderr") =>
  Audit.output(record).pipe(
    Stream.filter(({ stream }) => stream === name),
    Stream.map(({ text }) => text ?? ""),
    Stream.mkString,
  )

/** What the script of the host prints for these arguments. */
const printed = (count: number, kind: string): readonly [stdout: string, stderr: string] => {
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  return [
    `["start"\n${numbers.map((n) => `,"line ${n} of ${kind}"\n`).join("")}]\n`,
    numbers.filter((n) => n % 7 === 0).map((n) => `err ${n}\n`).join(""),
  ]
}

/** One that has not ended is lost, with the beginning of its output; one that has ended has all of it. */
const checkCommand = (record: Audit.CommandRecord) =>
  Effect.gen(function* () {
    const [, , count, kind] = record.exec?.arguments ?? []
    const [out, err] = printed(Number(count), String(kind))
    const [stdout, stderr] = [yield* textOf(record, "stdout"), yield* textOf(record, "stderr")]
    if (record.state._tag === "Exited") {
      expect([record.state.exitCode, stdout, stderr]).toEqual([0, out, err])
      return "ended"
    }
    expect(record).toMatchObject({ state: { _tag: "Lost" }, ended: undefined })
    expect([out.slice(0, stdout.length), err.slice(0, stderr.length)]).toEqual([stdout, stderr])
    return stdout === "" ? "lost before its output" : "lost with output"
  })

describe.runIf(process.platform === "linux")("a host that is killed", () => {
  it.live.each(Object.keys(stores))(
    `leaves everything that its journal acknowledged of unstreamed commands, in order: %s, ${kills} times`,
    (store) =>
      Effect.gen(function* () {
        const files = yield* workshop
        const open = stores[store]
        if (open === undefined) throw new Error(`no ${store}`)
        const path = files.path(`journal.${store}`)
        const host = yield* Effect.promise(() => bundled("tests/compute/killedHost.fixture.ts"))
        const { int } = random(kills)
        yield* Effect.provide(Effect.flatMap(Journal, ({ head }) => head), open(path, "write"))
        const seen: Array<string> = []
        const tail = Effect.flatMap(Journal, (journal) =>
          Stream.runForEach(journal.tail(), ({ hash }) => Effect.sync(() => void seen.push(hash))))
        const reader = yield* Effect.forkChild(Effect.provide(tail, open(path, "read")))

        let last = 0
        let acknowledged = 0
        const counts: Record<string, number> = {}
        for (let round = 1; round <= kills; round++) {
          const name = `r${round}`
          // Before there is output, too.
          const after = round % 4 === 0 ? "LeaseTaken" : `ShellOutputChunks ${name}-run-1\n`
          const answered = yield* killed(host, store, path, name, after, int(0, 400))
          acknowledged += answered.size
          yield* Effect.gen(function* () {
            const entries = yield* entriesAfter(last)
            expect(entries.map(({ position }) =>
              position
            )).toEqual(entries.map((_, index) => last + index + 1))
            const kept = new Map(entries.map((entry) => [entry.position, hashOf(entry)]))
            expect([...answered].filter(([position, hash]) => kept.get(position) !== hash)).toEqual([])
            last += entries.length
            const records = yield* Stream.runCollect(Audit.list())
            const mine = records.filter(({ commandId }) => commandId.startsWith(`${name}-`))
            expect(mine.length).toBeGreaterThan(0)
            for (const record of mine) {
              const how = yield* checkCommand(record)
              counts[how] = (counts[how] ?? 0) + 1
            }
          }).pipe(Effect.provide(open(path, "write")))
        }
        expect(counts["lost with output"] ?? 0).toBeGreaterThan(0)
        // One who looked on all the time saw what the journal has, and nothing that it has no more.
        yield* Effect.gen(function* () {
          yield* Effect.flatMap(Journal, (journal) => journal.verify())
          const entries = yield* entriesAfter(0)
          yield* eventually("all of it was seen", () => seen.length >= entries.length)
          expect(seen).toEqual(entries.map(({ hash }) => hash))
        }).pipe(Effect.provide(open(path, "read")))
        yield* Fiber.interrupt(reader)
        if (process.env["SLUICE_KILLS"] !== undefined) {
          process.stderr.write(`${JSON.stringify({ store, kills, acknowledged, entries: last, ...counts })}\n`)
        }
      }).pipe(Effect.provide(Logger.layer([]))),
    60_000 + kills * 15_000,
  )
})
