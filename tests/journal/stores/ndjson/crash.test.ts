import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import type { Head, JournalError } from "@sluice/shell/journal"
import { hashRow } from "../../../../src/journal/hashChain.ts"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { eventually } from "../../../support/eventually.ts"
import { type Random, random } from "../../../support/random.ts"
import { rounds } from "../../../support/rounds.ts"
import { type Workshop, workshop } from "../../../support/workshop.ts"
import { positionsOf, upTo } from "./support.ts"

const kills = rounds(70)

/** On a machine that is busy, where a process takes seconds to start, there are fewer. */
const patienceMillis = 90_000

/** One that was answered for. */
interface Answered {
  readonly from: number
  readonly to: number
  readonly correlationId: string
}

/** The program that writes until it is killed, in one file: as one it starts in a third of the time. */
const doomed = (place: Workshop): Effect.Effect<string> =>
  Effect.promise(async () => {
    const bundle = await rolldown({
      input: fileURLToPath(new URL("./crash.fixture.ts", import.meta.url)),
      platform: "node",
      onLog: () => {},
    })
    const file = place.path("doomed.mjs")
    await bundle.write({ file, format: "esm", codeSplitting: false, minify: true })
    await bundle.close()
    return file
  })

const args = "Deno" in globalThis ? ["run", "-A", "--no-config"] : []

/** One that is about to write. */
interface Doomed {
  /** Lets it write, kills it at some point, and tells what it was answered for until then. */
  readonly die: (...words: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Answered>>
  /** It is not needed. */
  readonly end: () => void
}

/** Starts the next one while the last one's file is looked at: starting takes most of the time. */
const start = ({ int }: Random, program: string): Doomed => {
  const child = spawn(process.execPath, [...args, program], { stdio: ["pipe", "pipe", "inherit"] })
  return {
    die: (...words) =>
      Effect.callback((resume) => {
        let output = ""
        let timer: ReturnType<typeof setTimeout> | undefined
        const kill = (): void => void child.kill("SIGKILL")
        // Now and then before it has opened the journal, or just then.
        if (int(0, 9) === 0) timer = setTimeout(kill, int(0, 100))
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          if (output === "" && timer === undefined) timer = setTimeout(kill, int(0, 20))
          output += text
        })
        child.on("close", (code, signal) => {
          clearTimeout(timer)
          if (signal !== "SIGKILL") return resume(Effect.die(new Error(`it ended by itself: ${code} ${signal}`)))
          resume(Effect.succeed(
            output.split("\n").slice(0, -1).map((line) => {
              const [from, to, correlationId = ""] = line.split(" ")
              return { from: Number(from), to: Number(to), correlationId }
            }),
          ))
        })
        child.stdin.end(`${words.join(" ")}\n`)
      }),
    end: () => void child.kill("SIGKILL"),
  }
}

/** Kills so many, one after the other. */
const killing = (
  luck: Random,
  program: string,
  count: number,
  wordsOf: (round: number) => ReadonlyArray<string>,
  check: (answered: ReadonlyArray<Answered>) => Effect.Effect<void, JournalError>,
) =>
  Effect.gen(function* () {
    let next = start(luck, program)
    yield* Effect.addFinalizer(() => Effect.sync(next.end))
    const begun = performance.now()
    for (let round = 1; round <= count && performance.now() - begun < patienceMillis; round++) {
      const current = next
      const answered = yield* current.die(...wordsOf(round))
      if (round < count) next = start(luck, program)
      yield* check(answered)
    }
  })

const placeOf = ({ hash, position }: Head): string => `${position} ${hash}`

const lastByte = (file: string): number => {
  const descriptor = openSync(file, "r")
  const bytes = new Uint8Array(1)
  readSync(descriptor, bytes, 0, 1, statSync(file).size - 1)
  closeSync(descriptor)
  return bytes[0] ?? 0
}

/** Opens what was left, and compares it with what was promised; answers with where it ends. */
const check = (
  file: string,
  before: Head,
  answered: ReadonlyArray<Answered>,
  reports: Array<NdjsonJournal.NdjsonRepairReport>,
) =>
  Effect.scoped(Effect.gen(function* () {
    const store = yield* NdjsonJournal.openStore({ path: file, onRepair: (report) => void reports.push(report) })
    expect(lastByte(file)).toBe(10)
    const head = yield* store.head
    expect(head.position).toBeGreaterThanOrEqual(Math.max(before.position, ...answered.map(({ to }) => to)))
    const rows = yield* store.scan({ after: before.position, maxRows: Infinity })
    const { first } = yield* store.size
    expect(positionsOf(rows)).toEqual(upTo(head.position, Math.max(before.position + 1, first)))
    let previous = before.hash
    for (const row of rows) {
      if (row.body !== "" && row.position > first) expect(hashRow(previous, row), String(row.position)).toBe(row.hash)
      previous = row.hash
    }
    for (const { correlationId, from, to } of answered) {
      const mine = yield* store.scan({ after: before.position, filter: { correlationId }, maxRows: Infinity })
      expect(positionsOf(mine)).toEqual(upTo(to, Math.max(from, first)))
    }
    return head
  }))

it.live("keeps every acknowledged entry when its writer is killed, again and again", () =>
  Effect.gen(function* () {
    const place = yield* workshop
    const luck = random(7)
    const program = yield* doomed(place)
    const file = place.path("journal.ndjson")
    let head = yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => store.head))
    // One who follows all the time, in another process than those that write.
    const journal = yield* NdjsonJournal.make({ path: file, mode: "read" })
    const seen: Array<string> = []
    const following = yield* Effect.forkChild(
      Stream.runForEach(journal.tail(), (entry) => Effect.sync(() => void seen.push(placeOf(entry)))),
    )
    const reports: Array<NdjsonJournal.NdjsonRepairReport> = []
    let answers = 0
    const words = (round: number) => [file, String(round), round % 2 === 0 ? "pieces" : "whole"]
    yield* killing(luck, program, kills, words, (answered) =>
      Effect.gen(function* () {
        answers += answered.length
        head = yield* check(file, head, answered, reports)
      }))
    expect(answers).toBeGreaterThan(0)
    yield* eventually("all of it was followed", () => seen.length >= head.position)
    expect(following.pollUnsafe()).toBeUndefined()
    yield* Fiber.interrupt(following)
    const rows = yield* Effect.scoped(Effect.flatMap(
      NdjsonJournal.openStore({ path: file, mode: "read" }),
      (store) => store.scan({ headersOnly: true, maxRows: Infinity }),
    ))
    expect(seen.length).toBe(rows.length)
    expect(seen.findIndex((place, index) => place !== rows.slice(index, index + 1).map(placeOf).join())).toBe(-1)
    expect(yield* journal.verify({ expect: head })).toMatchObject({ entries: head.position })
    // Of every cut the bytes are kept, and nothing else is left.
    // A writer that was killed while it took the lock leaves a temporary lock, which is removed after a minute.
    const names = readdirSync(dirname(file)).filter((name) => !name.startsWith("journal.ndjson.lock-")).toSorted()
    expect(names).toEqual(
      ["doomed.mjs", "journal.ndjson", ...reports.map(({ kept }) => basename(kept))].toSorted(),
    )
    for (const { bytes, kept } of reports) expect(statSync(join(dirname(file), basename(kept))).size).toBe(bytes)
  }).pipe(Effect.provide(Logger.layer([]))), 300_000)

const pruneRounds = 20

it.live(
  "has the old file or the new one when its writer is killed during a prune",
  () =>
    Effect.gen(function* () {
      const place = yield* workshop
      const luck = random(8)
      const program = yield* doomed(place)
      const file = place.path("journal.ndjson")
      let head = yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => store.head))
      const reports: Array<NdjsonJournal.NdjsonRepairReport> = []
      let pruned = 0
      const words = (round: number) => [file, String(round), "prune"]
      yield* killing(luck, program, pruneRounds, words, (answered) =>
        Effect.gen(function* () {
          head = yield* check(file, head, answered, reports)
          const journal = yield* NdjsonJournal.make({ path: file })
          pruned = (yield* journal.verify({ expect: head })).removedThrough
          expect(readdirSync(dirname(file)).filter((name) => name.includes(".tmp-"))).toEqual([])
        }).pipe(Effect.scoped))
      expect(pruned).toBeGreaterThan(0)
    }).pipe(Effect.provide(Logger.layer([]))),
  300_000,
)
