import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Draft, Entry, Filter, JournalError, JournalService, Position } from "@sluice/shell/journal"
import { matches } from "../../../src/journal/Entry.ts"
import { pause } from "../eventually.ts"
import { type Random, random } from "../random.ts"
import { everything, type JournalPlace, type JournalTarget, type Part, positionsOf, upTo } from "./target.ts"

/** An append that was made: each of its drafts says of which append it is, and which part. */
interface Made {
  readonly id: string
  readonly drafts: ReadonlyArray<Draft>
  /** Where it is, if it was answered. */
  positions: ReadonlyArray<Position> | undefined
  /** Whether it was refused for certain. */
  refused: boolean
}

/** One who follows, over every end and beginning of the journal. */
interface Reader {
  readonly filter: Filter | undefined
  cursor: Position
  readonly seen: Array<Entry>
}

const ids = ["red", "green", "blue"]

/** What happened, and what must hold in the end. */
class History {
  readonly made: Array<Made> = []
  readonly readers: ReadonlyArray<Reader>
  prunedThrough = 0
  #appends = 0
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
    const filters = [undefined, undefined, { correlationId: "red" }, { tags: ["B", "C"] }, { branch: "none" }]
    this.readers = filters.map((filter) => ({ filter, cursor: 0, seen: [] }))
  }

  next(): Made {
    const { int, pick } = this.#random
    const id = `append-${++this.#appends}`
    const drafts = upTo(int(1, 4)).map((part) => ({
      branch: "test",
      correlationId: pick(ids),
      body: { _tag: pick(["A", "B", "C"]), id, part, text: "x".repeat(pick([0, 10, 3_000])) },
    }))
    const made: Made = { id, drafts, positions: undefined, refused: false }
    this.made.push(made)
    return made
  }

  /** Follows until the journal ends; an end is no error, and who is behind what was pruned goes on after it. */
  follow(journal: JournalService, reader: Reader): Effect.Effect<void, JournalError> {
    return journal.tail({ after: reader.cursor, filter: reader.filter }).pipe(
      Stream.runForEach((entry) =>
        Effect.suspend(() => {
          reader.seen.push(entry)
          reader.cursor = entry.position
          return entry.position % 11 === 0 ? Effect.yieldNow : Effect.void
        })
      ),
      Effect.catch((error) => {
        if (error.reason._tag === "Closed") return Effect.void
        if (error.reason._tag !== "Pruned") return Effect.fail(error)
        expect(error.reason.through).toBeGreaterThan(reader.cursor)
        expect(error.reason.through).toBeLessThanOrEqual(this.prunedThrough)
        reader.cursor = error.reason.through
        return this.follow(journal, reader)
      }),
    )
  }

  /** Appends one after the other, until the journal ends. */
  append(journal: JournalService, times: number): Effect.Effect<void, JournalError> {
    return Effect.gen({ self: this }, function* () {
      const { int, pick } = this.#random
      for (let time = 0; time < times; time++) {
        const made = this.next()
        const conditional = int(0, 3) === 0
        const after = conditional ? (yield* journal.head).position : 0
        const noneOf = { correlationId: pick(ids) }
        const exit = yield* Effect.exit(
          journal.append(made.drafts, conditional ? { condition: { after, noneOf } } : undefined),
        )
        if (Exit.isSuccess(exit)) made.positions = exit.value
        else made.refused = !Exit.hasInterrupts(exit)
        if (int(0, 4) === 0) yield* Effect.yieldNow
      }
    }).pipe(Effect.catch((error) => error.reason._tag === "Closed" ? Effect.void : Effect.fail(error)))
  }

  prune(journal: JournalService): Effect.Effect<void, JournalError> {
    return Effect.gen({ self: this }, function* () {
      const { position } = yield* journal.head
      if (position < 10) return
      const through = this.#random.int(1, position - 5)
      // Before it happens: a tail may see it before this fiber does.
      this.prunedThrough = Math.max(this.prunedThrough, through)
      yield* journal.prune({ through })
    }).pipe(Effect.catch((error) => error.reason._tag === "Closed" ? Effect.void : Effect.fail(error)))
  }

  /** Readers see all entries in order and without a gap. */
  look(journal: JournalService): Effect.Effect<void, JournalError> {
    return Effect.gen({ self: this }, function* () {
      const { int } = this.#random
      const { position } = yield* journal.head
      const after = int(0, position)
      const read = positionsOf(yield* journal.read({ after, maxEntries: int(1, 50) }))
      expect(read).toEqual(upTo((read[0] ?? 1) + read.length - 1, read[0]))
      if (after >= this.prunedThrough && read.length > 0) expect(read[0]).toBe(after + 1)
      const back = positionsOf(yield* journal.readBackward({ before: after + 1, maxEntries: int(1, 50) }))
      if (back.length > 0) expect(back).toEqual(upTo(back[0] ?? 0, (back[0] ?? 0) - back.length + 1).reverse())
      yield* journal.verify()
    }).pipe(Effect.catch((error) => error.reason._tag === "Closed" ? Effect.void : Effect.fail(error)))
  }

  check(entries: ReadonlyArray<Entry>): void {
    const first = entries[0]?.position ?? 1
    const last = entries.at(-1)?.position ?? 0
    expect(positionsOf(entries)).toEqual(upTo(last, first))
    expect(first).toBeLessThanOrEqual(this.prunedThrough + 1)
    const at = new Map(entries.map((entry) => [entry.position, entry]))
    const places = new Map<unknown, Array<Position>>()
    for (const { body, position } of entries) {
      if (body?._tag === "Checkpoint") continue
      places.set(body?.["id"], [...places.get(body?.["id"]) ?? [], position])
    }
    for (const { drafts, id, positions, refused } of this.made) {
      const there = places.get(id) ?? []
      if (refused) expect(there).toEqual([])
      if (positions !== undefined) {
        // Answered for: there, as it was, one after the other, and once.
        expect(positions).toEqual(upTo((positions[0] ?? 0) + drafts.length - 1, positions[0]))
        expect(there).toEqual(positions.filter((position) => position >= first))
        for (const [index, position] of positions.entries()) {
          if (position < first) continue
          const { body, branch, correlationId } = at.get(position) ?? {}
          expect({ body, branch, correlationId }).toEqual(drafts[index])
        }
      } else if (there.length > 0 && (there[0] ?? 0) > first) {
        // Not answered for: all of it or nothing.
        expect(there).toHaveLength(drafts.length)
      }
    }
    for (const reader of this.readers) this.#checkReader(reader, entries)
  }

  #checkReader({ filter, seen }: Reader, entries: ReadonlyArray<Entry>): void {
    const positions = positionsOf(seen)
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
    const meant = entries.filter((entry) => filter === undefined || matches(filter, entry))
    const first = entries[0]?.position ?? 1
    // What is still there it has seen, each once, as it is; unless it was being pruned when it came by.
    const missed = meant.filter((entry) => !positions.includes(entry.position))
    expect(positionsOf(missed).filter((position) => position > this.prunedThrough)).toEqual([])
    const known = new Map(entries.map((entry) => [entry.position, entry]))
    for (const entry of seen) if (entry.position >= first) expect(entry).toEqual(known.get(entry.position))
  }
}

const seeds = 8
const rounds = 4

/** In peace: who follows catches up, and all that must hold does. */
const settle = (journal: JournalService, history: History) =>
  Effect.gen(function* () {
    yield* journal.append([{ branch: "none", correlationId: "red", body: { _tag: "B", id: "last" } }])
    const { position } = yield* journal.head
    for (const reader of history.readers) {
      for (let look = 0; look < 1_000 && reader.cursor < position; look++) yield* pause(2)
      expect(reader.cursor).toBe(position)
    }
    history.check(yield* everything(journal))
    yield* journal.verify()
  })

/** Opens the place, lets many work on it, and ends it: when they are done, or in the middle of it. */
const round = (
  { can }: JournalTarget,
  place: JournalPlace,
  history: History,
  source: Random,
  withPruning: boolean,
  last: boolean,
) =>
  Effect.gen(function* () {
    const { int, pick } = source
    const scope = yield* Scope.make()
    const opened = yield* Effect.forEach(
      upTo(can.processes ? int(1, 3) : 1),
      () => Scope.provide(place.open(), scope),
    )
    const following = yield* Effect.forEach(
      history.readers,
      (reader) => Effect.forkChild(history.follow(pick(opened), reader)),
    )
    const working = yield* Effect.forEach(
      [
        ...upTo(int(2, 6)).map(() => history.append(pick(opened), int(1, 15))),
        ...upTo(int(0, 2)).map(() => Effect.andThen(pause(int(0, 4)), history.look(pick(opened)))),
        ...(withPruning ? [Effect.andThen(pause(int(0, 6)), history.prune(pick(opened)))] : []),
      ],
      (work) => Effect.forkChild(work),
    )
    const ending = last ? "after the work" : pick(["after the work", "in the middle", "to some first"])
    if (ending === "after the work") yield* Fiber.joinAll(working)
    else yield* pause(int(0, 8))
    if (ending === "to some first") { for (const fiber of working) if (int(0, 1) === 0) yield* Fiber.interrupt(fiber) }
    if (last) yield* settle(pick(opened), history)
    yield* Scope.close(scope, Exit.void)
    yield* Fiber.joinAll(following)
    for (const fiber of working) {
      const exit = yield* Fiber.await(fiber)
      if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) return yield* exit
    }
  })

export const property: Part = (test, target) => {
  for (const seed of upTo(seeds)) {
    test(`delivers each entry once and in order while appends and tails start, fail and are interrupted (seed ${seed})`, (place) =>
      Effect.gen(function* () {
        const source = random(seed)
        const history = new History(source)
        const times = target.can.durable ? rounds : 1
        for (const time of upTo(times)) yield* round(target, place, history, source, seed % 2 === 0, time === times)
        expect(history.made.length).toBeGreaterThan(1)
      }))
  }
}
