/**
 * A journal without hashes, of objects in the memory of this process.
 *
 * It leaves out what makes a journal evidence: no body is written down as text, and every hash is `noHash`. All else is as
 * in every journal. With it a server took 10 ms of CPU for each megabyte of output that a client read, and not 20.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { millisOf } from "../../../base/duration.ts"
import { encodeBody, findInvalidName } from "../../entryCodec.ts"
import { type Checkpoint, checkpointTag, encodeCheckpoint, journalBranch, toRanges } from "../../checkpoint.ts"
import { type Draft, noHash, type Position } from "../../Entry.ts"
import { EntryList } from "./EntryList.ts"
import { CloseGate } from "../../CloseGate.ts"
import { conflictError } from "../../appendGroup.ts"
import { JournalError } from "../../JournalError.ts"
import type { AppendOptions, JournalService } from "../../JournalService.ts"
import type { Durability } from "../../JournalStore.ts"
import { defaultLimit, reservedTagError, unsupportedDurabilityError } from "../../makeJournal.ts"
import { clampToSafeInteger, findInvalidNumber, validateNumbers } from "../../validateNumbers.ts"
import { pruneNumbers } from "../../prune.ts"
import type { PruneOptions, PruneReport } from "../../PruneOptions.ts"
import { fullError, keptShare, type MemoryBounds } from "./MemoryStore.ts"
import { tailEntryList } from "./tailEntryList.ts"
import { Notifier } from "../../Notifier.ts"
import { measureBody, type MeasuredBody } from "./measureBody.ts"

const place: { readonly name: string; readonly durabilities: ReadonlyArray<Durability> } = {
  name: "memory",
  durabilities: ["memory"],
}

const weighAll = (drafts: ReadonlyArray<Draft>): Result.Result<ReadonlyArray<MeasuredBody>, JournalError> => {
  const bodies: Array<MeasuredBody> = []
  for (const draft of drafts) {
    const wrong = findInvalidName(draft)
    if (wrong !== undefined) return wrong
    const body = encodeBody(draft, measureBody)
    if (Result.isFailure(body)) return Result.fail(body.failure)
    if (draft.branch === journalBranch && draft.body._tag === checkpointTag) return Result.fail(reservedTagError)
    bodies.push(body.success)
  }
  return Result.succeed(bodies)
}

/** Makes the journal. It is gone with its Scope. */
export const makeUnchainedJournal = (
  bounds: MemoryBounds,
  whenFull: "prune" | "fail",
): Effect.Effect<JournalService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const gate = new CloseGate()
    const wakes = new Notifier()
    const list = new EntryList()
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        gate.close()
        wakes.wake()
      })
    )

    const push = (draft: Omit<Draft, "body">, { body, length }: MeasuredBody, time: number): Position => {
      const position = list.head.position + 1
      const { branch, correlationId, version = 1 } = draft
      list.push({
        entry: { position, time, branch, correlationId, tag: body._tag, version, hash: noHash, body },
        length,
      })
      return position
    }

    const say = (checkpoint: Checkpoint, time: number): Position =>
      push({ branch: journalBranch, correlationId: journalBranch }, measureBody(encodeCheckpoint(checkpoint)), time)

    const prune = (options: PruneOptions, time: number): PruneReport => {
      const { by, correlationIds = [], keepFrom = Infinity, olderThan, why } = options
      const before = olderThan === undefined ? undefined : time - millisOf("olderThan", olderThan)
      const { count, first } = list
      const cut = Math.max(first - 1, list.cut(options, before))
      const signed = { ...(by === undefined ? undefined : { by }), ...(why === undefined ? undefined : { why }) }
      const doomed = [...new Set(correlationIds)].flatMap((correlationId) =>
        list.scan({ after: cut, before: keepFrom, filter: { correlationId }, limit: Infinity })
          .filter(({ body, branch }) => body !== undefined && branch !== journalBranch)
          .map(({ position }) => position)
      ).sort((a, b) => a - b)
      if (doomed.length > 0) list.strip(new Set(doomed))
      if (cut >= first) list.removeThrough(cut)
      const removed = cut >= first ? count - list.count : 0
      const checkpoints: Array<Position> = []
      const common = { _tag: checkpointTag, hash: noHash, ...signed } as const
      if (removed > 0) checkpoints.push(say({ ...common, kind: "removed", through: cut, count: removed }, time))
      const last = doomed.at(-1)
      if (last !== undefined) {
        const positions = toRanges(doomed)
        checkpoints.push(
          say({ ...common, kind: "stripped", through: last, count: doomed.length, positions }, time),
        )
      }
      return { through: removed > 0 ? cut : 0, removed, stripped: doomed.length, checkpoints }
    }

    const fits = (count: number, bytes: number): boolean =>
      list.count + count <= bounds.maxEntries && list.bytes + bytes <= bounds.maxBytes

    /** Prunes what is oldest until so much fits; says whether it does. What never would is told before anything goes. */
    const makeRoom = (count: number, bytes: number, time: number): boolean => {
      if (fits(count, bytes)) return true
      const own = EntryList.bytesOf([checkpointLength])
      if (whenFull === "fail" || count + 1 > bounds.maxEntries || bytes + own > bounds.maxBytes) return false
      while (!fits(count, bytes) && list.count > 1) {
        const keepEntries = Math.max(1, Math.min(Math.floor(list.count * keptShare), bounds.maxEntries - count - 1))
        prune({ keepEntries, why: "the journal was full" }, time)
      }
      return fits(count, bytes)
    }

    const append = (
      drafts: ReadonlyArray<Draft>,
      { condition, durability = "memory" }: AppendOptions,
      clock: Clock.Clock,
    ): Result.Result<ReadonlyArray<Position>, JournalError> => {
      if (durability !== "memory") return Result.fail(unsupportedDurabilityError(place, durability))
      const bodies = weighAll(drafts)
      if (Result.isFailure(bodies)) return Result.fail(bodies.failure)
      const wrong = findInvalidNumber({ "condition.after": condition?.after })
      if (wrong !== undefined) return Result.fail(wrong)
      if (drafts.length === 0) return Result.succeed([])
      if (condition !== undefined) {
        const [found] = list.scan({ after: condition.after, filter: condition.noneOf, limit: 1 })
        if (found !== undefined) return Result.fail(conflictError(found.position))
      }
      const time = Math.floor(clock.currentTimeMillisUnsafe())
      const bytes = EntryList.bytesOf(bodies.success.map(({ length }) => length))
      if (!makeRoom(drafts.length, bytes, time)) return Result.fail(fullError(list.count, list.bytes, bounds))
      const positions = bodies.success.map((body, index) => push(drafts[index] ?? nobody, body, time))
      wakes.wake()
      return Result.succeed(positions)
    }

    return {
      append: (drafts, options = {}) =>
        gate.guard(Clock.clockWith((clock) => Effect.fromResult(append(drafts, options, clock)))),
      read: ({ after = 0, filter, limit = defaultLimit } = {}) =>
        gate.guard(
          validateNumbers(
            { after, limit },
            () => Effect.sync(() => list.scan({ after, filter, limit: clampToSafeInteger(limit) })),
          ),
        ),
      readBackward: ({ before, filter, limit = defaultLimit } = {}) =>
        gate.guard(
          validateNumbers(
            { before, limit },
            () => Effect.sync(() => list.scan({ before, filter, limit: clampToSafeInteger(limit), order: "backward" })),
          ),
        ),
      tail: (options) => tailEntryList(list, wakes, gate, options),
      waitFor: ({ match = () => true, ...options }) =>
        tailEntryList(list, wakes, gate, options).pipe(
          Stream.filter(match),
          Stream.runHead,
          Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed })),
        ),
      head: gate.guard(Effect.sync(() => list.head)),
      verify: () => gate.guard(Effect.fail(unverifiable)),
      prune: (options) =>
        gate.guard(validateNumbers(pruneNumbers(options), () =>
          Clock.clockWith((clock) =>
            Effect.sync(() => {
              const report = prune(options, Math.floor(clock.currentTimeMillisUnsafe()))
              wakes.wake()
              return report
            })
          ))),
      stats: gate.guard(Effect.sync(() => ({
        entries: list.count,
        bytes: list.bytes,
        first: list.first,
        store: place.name,
        location: place.name,
        head: list.head,
      }))),
    }
  })

/** About how long a checkpoint's body is. */
const checkpointLength = 200

const nobody: Omit<Draft, "body"> = { branch: "", correlationId: "" }

const unverifiable: JournalError = JournalError.because(
  { _tag: "Invalid", field: "chained" },
  "journal: nothing was verified: this journal keeps no hashes (chained: false)",
)
