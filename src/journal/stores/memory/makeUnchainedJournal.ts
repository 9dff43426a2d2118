/**
 * Makes a Journal service without hashes that keeps entries in memory as objects.
 *
 * No body is encoded as text, and every hash is `noHash`, so nothing can be verified; all else is as in every journal. With
 * it, a server took 10 ms of CPU per megabyte of output that a client read, instead of 20.
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
import { encodeBody, findInvalidField } from "../../entryCodec.ts"
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
import { fullError, type MemoryBounds, shareAfterPrune } from "./MemoryStore.ts"
import { tailEntryList } from "./tailEntryList.ts"
import { Notifier } from "../../Notifier.ts"
import { measureBody, type MeasuredBody } from "./measureBody.ts"

const description: { readonly name: string; readonly durabilities: ReadonlyArray<Durability> } = {
  name: "memory",
  durabilities: ["memory"],
}

const measureAll = (drafts: ReadonlyArray<Draft>): Result.Result<ReadonlyArray<MeasuredBody>, JournalError> => {
  const bodies: Array<MeasuredBody> = []
  for (const draft of drafts) {
    const invalid = findInvalidField(draft)
    if (invalid !== undefined) return invalid
    const body = encodeBody(draft, measureBody)
    if (Result.isFailure(body)) return Result.fail(body.failure)
    if (draft.branch === journalBranch && draft.body._tag === checkpointTag) return Result.fail(reservedTagError)
    bodies.push(body.success)
  }
  return Result.succeed(bodies)
}

/** Makes the journal, which ends with its Scope. */
export const makeUnchainedJournal = (
  bounds: MemoryBounds,
  whenFull: "prune" | "fail",
): Effect.Effect<JournalService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const gate = new CloseGate()
    const notifier = new Notifier()
    const list = new EntryList()
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        gate.close()
        notifier.notifyAll()
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

    const pushCheckpoint = (checkpoint: Checkpoint, time: number): Position =>
      push({ branch: journalBranch, correlationId: journalBranch }, measureBody(encodeCheckpoint(checkpoint)), time)

    const prune = (options: PruneOptions, time: number): PruneReport => {
      const { by, correlationIds = [], keepFrom = Infinity, olderThan, why } = options
      const before = olderThan === undefined ? undefined : time - millisOf("olderThan", olderThan)
      const { count, first } = list
      const limit = Math.max(first - 1, list.findPruneLimit(options, before))
      const signature = { ...(by === undefined ? undefined : { by }), ...(why === undefined ? undefined : { why }) }
      const stripped = [...new Set(correlationIds)].flatMap((correlationId) =>
        list.scan({ after: limit, before: keepFrom, filter: { correlationId }, limit: Infinity })
          .filter(({ body, branch }) => body !== undefined && branch !== journalBranch)
          .map(({ position }) => position)
      ).sort((a, b) => a - b)
      if (stripped.length > 0) list.strip(new Set(stripped))
      if (limit >= first) list.removeThrough(limit)
      const removed = limit >= first ? count - list.count : 0
      const checkpoints: Array<Position> = []
      const common = { _tag: checkpointTag, hash: noHash, ...signature } as const
      if (removed > 0) {
        checkpoints.push(pushCheckpoint({ ...common, kind: "removed", through: limit, count: removed }, time))
      }
      const last = stripped.at(-1)
      if (last !== undefined) {
        const positions = toRanges(stripped)
        checkpoints.push(
          pushCheckpoint({ ...common, kind: "stripped", through: last, count: stripped.length, positions }, time),
        )
      }
      return { through: removed > 0 ? limit : 0, removed, stripped: stripped.length, checkpoints }
    }

    const fits = (count: number, bytes: number): boolean =>
      list.count + count <= bounds.maxEntries && list.bytes + bytes <= bounds.maxBytes

    /** Prunes the oldest entries until `bytes` fit; returns whether they do. Prunes nothing for what can never fit. */
    const makeRoom = (count: number, bytes: number, time: number): boolean => {
      if (fits(count, bytes)) return true
      const checkpointBytes = EntryList.bytesOf([checkpointLength])
      if (whenFull === "fail" || count + 1 > bounds.maxEntries || bytes + checkpointBytes > bounds.maxBytes) {
        return false
      }
      while (!fits(count, bytes) && list.count > 1) {
        const keepEntries = Math.max(
          1,
          Math.min(Math.floor(list.count * shareAfterPrune), bounds.maxEntries - count - 1),
        )
        prune({ keepEntries, why: "the journal was full" }, time)
      }
      return fits(count, bytes)
    }

    const append = (
      drafts: ReadonlyArray<Draft>,
      { condition, durability = "memory" }: AppendOptions,
      clock: Clock.Clock,
    ): Result.Result<ReadonlyArray<Position>, JournalError> => {
      if (durability !== "memory") return Result.fail(unsupportedDurabilityError(description, durability))
      const bodies = measureAll(drafts)
      if (Result.isFailure(bodies)) return Result.fail(bodies.failure)
      const invalid = findInvalidNumber({ "condition.after": condition?.after })
      if (invalid !== undefined) return Result.fail(invalid)
      if (drafts.length === 0) return Result.succeed([])
      if (condition !== undefined) {
        const [found] = list.scan({ after: condition.after, filter: condition.noneOf, limit: 1 })
        if (found !== undefined) return Result.fail(conflictError(found.position))
      }
      const time = Math.floor(clock.currentTimeMillisUnsafe())
      const bytes = EntryList.bytesOf(bodies.success.map(({ length }) => length))
      if (!makeRoom(drafts.length, bytes, time)) return Result.fail(fullError(list.count, list.bytes, bounds))
      const positions = bodies.success.map((body, index) => push(drafts[index] ?? emptyDraft, body, time))
      notifier.notifyAll()
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
      tail: (options) => tailEntryList(list, notifier, gate, options),
      waitFor: ({ match = () => true, ...options }) =>
        tailEntryList(list, notifier, gate, options).pipe(
          Stream.filter(match),
          Stream.runHead,
          Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed })),
        ),
      head: gate.guard(Effect.sync(() => list.head)),
      verify: () => gate.guard(Effect.fail(unverifiableError)),
      prune: (options) =>
        gate.guard(validateNumbers(pruneNumbers(options), () =>
          Clock.clockWith((clock) =>
            Effect.sync(() => {
              const report = prune(options, Math.floor(clock.currentTimeMillisUnsafe()))
              notifier.notifyAll()
              return report
            })
          ))),
      stats: gate.guard(Effect.sync(() => ({
        entries: list.count,
        bytes: list.bytes,
        first: list.first,
        store: description.name,
        location: description.name,
        head: list.head,
      }))),
    }
  })

/** Approximate length of a checkpoint's body. */
const checkpointLength = 200

const emptyDraft: Omit<Draft, "body"> = { branch: "", correlationId: "" }

const unverifiableError: JournalError = JournalError.because(
  { _tag: "Invalid", field: "chained" },
  "journal: nothing was verified: this journal keeps no hashes (chained: false)",
)
