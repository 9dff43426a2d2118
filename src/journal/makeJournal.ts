/** Makes the Journal service over a store. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type EncodeBody, type EncodedDraft, encodeDraft } from "./entryCodec.ts"
import { checkpointTag, journalBranch } from "./checkpoint.ts"
import { GroupCommitter } from "./GroupCommitter.ts"
import type { Draft } from "./Entry.ts"
import { CloseGate } from "./CloseGate.ts"
import type { AppendOptions, JournalService } from "./JournalService.ts"
import { JournalError } from "./JournalError.ts"
import type { Durability, JournalStore, Scan } from "./JournalStore.ts"
import { clampToSafeInteger, findInvalidNumber, invalidError, validateNumbers } from "./validateNumbers.ts"
import { pruneNumbers, pruneStore } from "./prune.ts"
import { RememberedSecrets } from "./redaction/RememberedSecrets.ts"
import { decodeRows, TailReader } from "./TailReader.ts"
import { verifyStore } from "./verifyStore.ts"

/** Options of every journal. */
export interface JournalOptions {
  /** The default durability of an append. Default: `"os"`; `"memory"` for a memory journal. */
  readonly durability?: Durability | undefined
}

const defaultMaxEntries = 1_000

const unsupportedDurabilityError = (
  store: Pick<JournalStore, "name" | "durabilities">,
  durability: Durability,
): JournalError =>
  JournalError.because(
    { _tag: "Invalid", field: "durability" },
    `journal: ${store.name} cannot make entries as durable as "${durability}": at most "${store.durabilities.at(-1)}"`,
  )

const reservedTagError = (): JournalError => invalidError("branch", "a checkpoint is written by pruning alone")

const encodeAll = (
  drafts: ReadonlyArray<Draft>,
  encodeBody: EncodeBody | undefined,
): Result.Result<ReadonlyArray<EncodedDraft>, JournalError> => {
  const encoded: Array<EncodedDraft> = []
  for (const draft of drafts) {
    const result = encodeDraft(draft, encodeBody)
    if (Result.isFailure(result)) return Result.fail(result.failure)
    if (draft.branch === journalBranch && draft.body._tag === checkpointTag) return Result.fail(reservedTagError())
    encoded.push(result.success)
  }
  return Result.succeed(encoded)
}

/** Makes the service over a store. When the Scope closes, queued appends are written first. */
export const makeJournal = (
  store: JournalStore,
  options: JournalOptions = {},
): Effect.Effect<JournalService, JournalError, Scope.Scope> => makeJournalWith(store, options)

export const makeJournalWith = (
  store: JournalStore,
  options: JournalOptions,
  encodeBody?: EncodeBody,
): Effect.Effect<JournalService, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const durability = options.durability ?? (store.durabilities.includes("os") ? "os" : "memory")
    if (!store.durabilities.includes(durability)) {
      return yield* Effect.fail(unsupportedDurabilityError(store, durability))
    }
    const gate = new CloseGate()
    const tails = yield* TailReader.make(store, gate)
    const committer = new GroupCommitter(store, tails.onCommit)
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        committer.close,
        Effect.sync(() => {
          gate.close()
          tails.wake()
        }),
      )
    )

    const append = (drafts: ReadonlyArray<Draft>, { condition, durability: level }: AppendOptions = {}) => {
      const required = level ?? durability
      if (!store.durabilities.includes(required)) return Effect.fail(unsupportedDurabilityError(store, required))
      const encoded = encodeAll(drafts, encodeBody)
      if (Result.isFailure(encoded)) return Effect.fail(encoded.failure)
      const invalid = findInvalidNumber({ "condition.after": condition?.after })
      if (invalid !== undefined) return Effect.fail(invalid)
      if (drafts.length === 0) return Effect.succeed([])
      return Clock.clockWith((clock) => {
        const request = { drafts: encoded.success, condition, durability: required, clock }
        const positions = committer.appendNow(request)
        return positions === undefined ? committer.append(request) : Effect.succeed(positions)
      })
    }

    const reader = gate.guardReads(store)
    const scan = (scan: Scan) =>
      Effect.flatMap(reader.scan({ ...scan, maxRows: clampToSafeInteger(scan.maxRows) }), decodeRows)
    const tail = tails.tail.bind(tails)

    return {
      remembered: new RememberedSecrets(),
      append: (drafts, appendOptions) => Effect.suspend(() => append(drafts, appendOptions)),
      read: ({ after = 0, filter, maxEntries = defaultMaxEntries } = {}) =>
        validateNumbers({ after, maxEntries }, () => scan({ after, filter, maxRows: maxEntries })),
      readBackward: ({ before, filter, maxEntries = defaultMaxEntries } = {}) =>
        validateNumbers({ before, maxEntries }, () => scan({ before, filter, maxRows: maxEntries, order: "backward" })),
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
          () =>
            committer.runExclusively(durability, (transaction) => pruneStore(transaction, pruneOptions, encodeBody)),
        ),
      stats: Effect.gen(function* () {
        const head = yield* reader.head
        return { ...(yield* reader.size), store: store.name, location: store.location, head }
      }),
    }
  })
