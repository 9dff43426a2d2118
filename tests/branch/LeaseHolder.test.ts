import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Journal } from "@sluice/shell/journal"
import { draftBranchEntry, draftEvent, draftRequest } from "../../src/branch/Branch.ts"
import { acquireLease, LeaseHolder } from "../../src/branch/LeaseHolder.ts"
import { count, type CountEvent, Counting, elsewhere, inJournal, tagsOf } from "./counting.ts"
import { flaky } from "./flakyJournal.ts"

const lease = (daemonId: string) => ({
  _tag: "LeaseTaken" as const,
  attempt: 1,
  daemonId,
  host: elsewhere,
  leaseMillis: 1_000,
})
const counted = (n: number) => draftEvent(Counting, { _tag: "Counted", id: "x", n })
const finished: CountEvent = { _tag: "Finished", id: "x", by: "d" }

/** An open request, and a journal with moods. */
const opened = Effect.gen(function* () {
  const journal = flaky(yield* Journal)
  const [position = 0] = yield* journal.append([draftRequest(Counting, count("x"))])
  return { journal, position, place: { journal, branch: Counting, correlationId: "x" } }
})

/** The same with a lease. */
const held = Effect.gen(function* () {
  const { journal, place, position } = yield* opened
  const taken = (yield* acquireLease(place, lease("d"), position, false)) ?? 0
  return { journal, place, taken, holder: new LeaseHolder(place, taken) }
})

it.effect("gives a lease only to the first that acquires it", () =>
  Effect.gen(function* () {
    const { place, position } = yield* opened
    expect(yield* acquireLease(place, lease("a"), position, false)).toBe(position + 1)
    expect(yield* acquireLease(place, lease("b"), position, false)).toBeUndefined()
    expect(yield* acquireLease(place, lease("b"), position + 1, false)).toBe(position + 2)
    expect(yield* acquireLease(place, lease("c"), position + 1, false)).toBeUndefined()
  }).pipe(inJournal))

it.effect("gives no lease of a request that has ended", () =>
  Effect.gen(function* () {
    const { journal, place, position } = yield* opened
    yield* journal.append([draftEvent(Counting, finished)])
    expect(yield* acquireLease(place, lease("a"), position, false)).toBeUndefined()
  }).pipe(inJournal))

it.effect("knows its lease again when the answer to the append was lost", () =>
  Effect.gen(function* () {
    const { journal, place, position } = yield* opened
    journal.mood = "unsure"
    expect((yield* Effect.flip(acquireLease(place, lease("a"), position, false))).reason._tag).toBe("Unavailable")
    journal.mood = "well"
    expect(yield* acquireLease(place, lease("b"), position, true)).toBeUndefined()
    expect(yield* acquireLease(place, lease("a"), position, true)).toBe(position + 1)
  }).pipe(inJournal))

it.effect("appends nothing once another has the lease", () =>
  Effect.gen(function* () {
    const { holder, journal, place, taken } = yield* held
    expect(yield* holder.append([counted(1)])).toBe(true)
    yield* acquireLease(place, lease("other"), taken, false)
    expect(yield* holder.append([counted(2)])).toBe(false)
    expect(yield* holder.append([draftEvent(Counting, finished)])).toBe(false)
    expect(yield* tagsOf(journal, "x")).toEqual(["Count", "LeaseTaken", "Counted", "LeaseTaken"])
  }).pipe(inJournal))

it.effect("appends each event once, also when it has to try again", () =>
  Effect.gen(function* () {
    const { holder, journal } = yield* held
    const events = [counted(1), counted(2)]
    for (const mood of ["down", "unsure", "full", "down"] as const) {
      journal.mood = mood
      yield* Effect.flip(holder.append(events))
    }
    journal.mood = "well"
    // A request to cancel is not an event, and does not count.
    yield* journal.append([draftBranchEntry(Counting, "x", { _tag: "CancelRequested" })])
    expect(yield* holder.append(events)).toBe(true)
    expect(yield* holder.append([draftEvent(Counting, finished)])).toBe(true)
    expect((yield* tagsOf(journal, "x")).filter((tag) => tag !== "CancelRequested")).toEqual([
      "Count",
      "LeaseTaken",
      "Counted",
      "Counted",
      "Finished",
    ])
  }).pipe(inJournal))

it.effect("may continue with other events after events whose outcome is unknown", () =>
  Effect.gen(function* () {
    const { holder, journal } = yield* held
    journal.mood = "unsure"
    yield* Effect.flip(holder.append([counted(1), counted(2)]))
    journal.mood = "well"
    expect(yield* holder.append([draftEvent(Counting, finished)])).toBe(true)
    expect(yield* tagsOf(journal, "x")).toEqual(["Count", "LeaseTaken", "Counted", "Counted", "Finished"])
  }).pipe(inJournal))

it.effect("is lost, not unknown, when another daemon took the lease during the attempt", () =>
  Effect.gen(function* () {
    const { holder, journal, place, taken } = yield* held
    journal.mood = "down"
    yield* Effect.flip(holder.append([counted(1)]))
    journal.mood = "well"
    yield* acquireLease(place, lease("other"), taken, false)
    expect(yield* holder.append([counted(1)])).toBe(false)
  }).pipe(inJournal))
