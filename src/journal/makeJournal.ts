/**
 * The Journal service over a store.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type EncodedDraft, encodeDraft } from "./entryCodec.ts"
import { checkpointTag, journalBranch } from "./checkpoint.ts"
import { GroupCommitter } from "./GroupCommitter.ts"
import type { Draft } from "./Entry.ts"
import { CloseGate } from "./CloseGate.ts"
import type { AppendOptions, JournalService } from "./JournalService.ts"
import { JournalError } from "./JournalError.ts"
import type { Durability, JournalStore, Scan } from "./JournalStore.ts"
import { clampToSafeInteger, findInvalidNumber, invalidError, validateNumbers } from "./validateNumbers.ts"
import { pruneNumbers, pruneStore } from "./prune.ts"
import { decodeRows, TailReader } from "./TailReader.ts"
import { verifyStore } from "./verify.ts"

/** Settings that every journal has. */
export interface JournalOptions {
  /** When an append counts as done, unless it says otherwise. Default: `"os"`; of a memory journal `"memory"`. */
  readonly durability?: Durability | undefined
}

/** Entries that a read answers with, unless it says otherwise. */
export const defaultLimit = 1_000

export const unsupportedDurabilityError = (
  store: Pick<JournalStore, "name" | "durabilities">,
  durability: Durability,
): JournalError =>
  JournalError.because(
    { _tag: "Invalid", field: "durability" },
    `journal: ${store.name} cannot make entries as durable as "${durability}": at most "${store.durabilities.at(-1)}"`,
  )

/** What a journal says about itself is written by nobody else. */
export const reservedTagError: JournalError = invalidError("branch", "a checkpoint is written by pruning alone")

const writeAll = (drafts: ReadonlyArray<Draft>): Result.Result<ReadonlyArray<EncodedDraft>, JournalError> => {
  const written: Array<EncodedDraft> = []
  for (const draft of drafts) {
    const result = encodeDraft(draft)
    if (Result.isFailure(result)) return Result.fail(result.failure)
    if (draft.branch === journalBranch && draft.body._tag === checkpointTag) return Result.fail(reservedTagError)
    written.push(result.success)
  }
  return Result.succeed(written)
}

/** Makes the service over a store. When the Scope closes, what is pending is written first. */
export const makeJournal = (
  store: JournalStore,
  options: JournalOptions = {},
): Effect.Effect<JournalService, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const durability = options.durability ?? (store.durabilities.includes("os") ? "os" : "memory")
    if (!store.durabilities.includes(durability)) {
      return yield* Effect.fail(unsupportedDurabilityError(store, durability))
    }
    const gate = new CloseGate()
    const follower = yield* TailReader.make(store, gate)
    const committer = new GroupCommitter(store, follower.committed)
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        committer.close,
        Effect.sync(() => {
          gate.close()
          follower.wake()
        }),
      )
    )

    const append = (drafts: ReadonlyArray<Draft>, { condition, durability: level }: AppendOptions = {}) => {
      const wanted = level ?? durability
      if (!store.durabilities.includes(wanted)) return Effect.fail(unsupportedDurabilityError(store, wanted))
      const written = writeAll(drafts)
      if (Result.isFailure(written)) return Effect.fail(written.failure)
      const wrong = findInvalidNumber({ "condition.after": condition?.after })
      if (wrong !== undefined) return Effect.fail(wrong)
      if (drafts.length === 0) return Effect.succeed([])
      return Clock.clockWith((clock) =>
        committer.append({ written: written.success, condition, durability: wanted, clock })
      )
    }

    const reader = gate.reader(store)
    const scan = (scan: Scan) =>
      Effect.flatMap(reader.scan({ ...scan, limit: clampToSafeInteger(scan.limit) }), decodeRows)
    const tail = follower.tail.bind(follower)

    return {
      append: (drafts, appendOptions) => Effect.suspend(() => append(drafts, appendOptions)),
      read: ({ after = 0, filter, limit = defaultLimit } = {}) =>
        validateNumbers({ after, limit }, () => scan({ after, filter, limit })),
      readBackward: ({ before, filter, limit = defaultLimit } = {}) =>
        validateNumbers({ before, limit }, () => scan({ before, filter, limit, order: "backward" })),
      tail,
      waitFor: ({ match = () => true, ...tailOptions }) =>
        tail(tailOptions).pipe(
          Stream.filter(match),
          Stream.runHead,
          Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed })),
        ),
      head: reader.head,
      verify: (verifyOptions) => verifyStore(reader, verifyOptions),
      prune: (pruneOptions) =>
        validateNumbers(
          pruneNumbers(pruneOptions),
          () => committer.exclusively(durability, (transaction) => pruneStore(transaction, pruneOptions)),
        ),
      stats: Effect.gen(function* () {
        const head = yield* reader.head
        return { ...(yield* reader.size), store: store.name, location: store.location, head }
      }),
    }
  })
