import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { currentHost } from "../../src/branch/HostIdentity.ts"
import { makeLivenessCheck } from "../../src/history/makeLivenessCheck.ts"
import { scanCommands } from "../../src/history/listCommands.ts"
import { UnendedCommands } from "../../src/history/UnendedCommands.ts"
import { Journal, type JournalService } from "../../src/journal/Journal.ts"
import { ask, deadHost, exit, farHost, onJournal, take, write } from "./support.ts"

const indexed = (index: UnendedCommands, before?: number) =>
  Effect.andThen(
    index.catchUp,
    Effect.map(
      Stream.runCollect(index.records(makeLivenessCheck(index.journal), before)),
      (records) => records.map(({ commandId, state }) => `${commandId} ${state._tag}`),
    ),
  )

/** The same by a scan of all commands: the newest request of each id, if it has no end. */
const scanned = (journal: JournalService) =>
  Effect.map(Stream.runCollect(scanCommands(journal, {}, makeLivenessCheck(journal))), (all) => {
    const seen = new Set<string>()
    return all.flatMap(({ commandId, record }) => {
      const isOlder = seen.has(commandId)
      seen.add(commandId)
      return isOlder || record === undefined || record.ended !== undefined ? [] : [`${commandId} ${record.state._tag}`]
    })
  })

/** A generator of numbers below a bound that repeats by its seed. */
const random = (seed: number) => (below: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
  return Math.floor(seed / 65_536) % below
}

it.effect("has the commands that a scan finds without an end, after any history", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const index = new UnendedCommands(journal)
    const next = random(7)
    const hosts = [yield* currentHost, yield* deadHost, yield* farHost] as const
    for (let step = 0; step < 400; step++) {
      const id = `c${next(40)}`
      const kind = next(5)
      if (kind === 0) yield* ask(id)
      else if (kind === 1) yield* take(id, { host: hosts[next(3)] ?? hosts[0], attempt: 1 + next(2) })
      else if (kind === 2) yield* write(id, { text: "x" })
      else if (kind === 3) yield* exit(id)
      else if (next(4) === 0) expect(yield* indexed(index)).toEqual(yield* scanned(journal))
    }
    expect(yield* indexed(index)).toEqual(yield* scanned(journal))
    expect(yield* indexed(new UnendedCommands(journal))).toEqual(yield* indexed(index))
  }).pipe(onJournal))

it.effect("begins before a position", () =>
  Effect.gen(function* () {
    const index = new UnendedCommands(yield* Journal)
    for (let n = 1; n <= 80; n++) yield* ask(`c${n}`)
    expect(yield* indexed(index, 3)).toEqual(["c2 Waiting", "c1 Waiting"])
    expect(yield* indexed(index, 1)).toEqual([])
    expect((yield* indexed(index)).length).toBe(80)
  }).pipe(onJournal))

it.effect("reads a running command once, and again after another lease", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    let reads = 0
    const index = new UnendedCommands({
      ...journal,
      read: (options) => Effect.tap(journal.read(options), () => Effect.sync(() => reads++)),
    })
    yield* ask("a", ["true"], { onHostLoss: "rerun" })
    yield* take("a", { host: yield* deadHost })
    expect(yield* indexed(index)).toEqual(["a Lost"])
    reads = 0
    expect(yield* indexed(index)).toEqual(["a Lost"])
    expect(reads).toBe(0)
    yield* take("a", { attempt: 2 })
    expect(yield* indexed(index)).toEqual(["a Running"])
  }).pipe(onJournal))

it.effect("forgets a command whose request was pruned", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const index = new UnendedCommands(journal)
    yield* ask("old")
    yield* ask("new")
    yield* index.catchUp
    yield* journal.prune({ through: 1 })
    expect(yield* indexed(index)).toEqual(["new Waiting"])
  }).pipe(onJournal))

it.effect("forgets a running command whose request was pruned after it was listed", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const index = new UnendedCommands(journal)
    yield* ask("old")
    yield* take("old", { host: yield* deadHost })
    yield* ask("new")
    expect(yield* indexed(index)).toEqual(["new Waiting", "old Lost"])
    yield* journal.prune({ through: 1 })
    expect(yield* indexed(index)).toEqual(["new Waiting"])
    expect(yield* scanned(journal)).toEqual(["new Waiting"])
  }).pipe(onJournal))

it.effect("does not return contents of a running command that were erased after it was listed", () =>
  Effect.gen(function* () {
    const index = new UnendedCommands(yield* Journal)
    const lines = Effect.andThen(
      index.catchUp,
      Effect.map(
        Stream.runCollect(index.records(makeLivenessCheck(index.journal))),
        (records) => records.map(({ line }) => line),
      ),
    )
    yield* ask("a", ["true", "personal"])
    yield* take("a")
    expect(yield* lines).toEqual(["true personal"])
    yield* index.journal.prune({ correlationIds: ["a"] })
    expect(yield* lines).toEqual(["[pruned]"])
  }).pipe(onJournal))

it.effect("follows the journal, and overlaps with readers", () =>
  Effect.gen(function* () {
    const index = new UnendedCommands(yield* Journal)
    yield* ask("a")
    const fiber = yield* Effect.forkChild(index.follow)
    for (let n = 0; n < 20; n++) {
      yield* ask(`c${n}`)
      if (n % 3 === 0) yield* index.catchUp
      if (n % 2 === 0) yield* exit(`c${n}`)
      yield* TestClock.adjust("100 millis")
    }
    yield* exit("a")
    const odd = Array.from({ length: 10 }, (_, n) => `c${19 - 2 * n} Waiting`)
    expect(yield* indexed(index)).toEqual(odd)
    yield* Fiber.interrupt(fiber)
  }).pipe(onJournal))

it.effect("follows a journal that prunes entries between two looks", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const index = new UnendedCommands(journal)
    const fiber = yield* Effect.forkChild(index.follow)
    for (let n = 1; n <= 4; n++) {
      yield* ask(`old${n}`)
      yield* ask(`old${n}`)
      yield* TestClock.adjust("10 millis")
      yield* ask(`new${n}`)
      yield* ask(`newer${n}`)
      yield* journal.prune({ through: (yield* journal.head).position - 1 })
      yield* TestClock.adjust("1 second")
      expect(fiber.pollUnsafe()).toBeUndefined()
      expect(yield* indexed(index)).toEqual([`newer${n} Waiting`])
    }
    yield* Fiber.interrupt(fiber)
  }).pipe(onJournal))
