/** Acquires the lease of a request, and appends events under it. */
import * as Effect from "effect/Effect"
import type { Draft, Entry, Filter, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { decodeBranchEntry, draftBranchEntry, type LeaseTaken } from "./BranchEntry.ts"

export const isConflict = ({ reason }: JournalError): boolean => reason._tag === "Conflict"

export const isTransient = ({ reason }: JournalError): boolean =>
  reason._tag === "Unavailable" || reason._tag === "Locked"

/** Whether the entries may have been written although the append failed. */
export const isIndeterminate = ({ reason }: JournalError): boolean => reason._tag === "Unavailable"

/** Appends entries of a request, unless one with any of the tags comes after a position: then `false`. */
export const appendUnless = (
  { branch, correlationId, journal }: Pick<LeaseTarget, "correlationId" | "journal"> & { branch: { name: string } },
  drafts: ReadonlyArray<Draft>,
  after: Position,
  tags: ReadonlyArray<string>,
): Effect.Effect<boolean, JournalError> =>
  journal.append(drafts, { condition: { after, noneOf: { branch: branch.name, correlationId, tags } } }).pipe(
    Effect.as(true),
    Effect.catchIf(isConflict, () => Effect.succeed(false)),
  )

export interface LeaseTarget {
  readonly journal: JournalService
  readonly branch: {
    readonly name: string
    readonly lastTags: ReadonlyArray<string>
    readonly event: { readonly tags: ReadonlyArray<string> }
  }
  readonly correlationId: string
}

const leaseTag: LeaseTaken["_tag"] = "LeaseTaken"

/**
 * Acquires the lease of a request, unless another was taken or the request has ended after position `after`: that of
 * the request, or of the lease that lapsed. Returns the position of the lease, or `undefined` when another was first.
 * `again` is whether an earlier attempt may have been written.
 */
export const acquireLease = (
  { branch, correlationId, journal }: LeaseTarget,
  taken: LeaseTaken,
  after: Position,
  again: boolean,
): Effect.Effect<Position | undefined, JournalError> => {
  const noneOf: Filter = { branch: branch.name, correlationId, tags: [leaseTag, ...branch.lastTags] }
  const own = Effect.map(journal.read({ after, filter: noneOf, maxEntries: 1 }), ([entry]) => {
    const decoded = entry === undefined ? undefined : decodeBranchEntry(branch, entry)
    return decoded?._tag === "LeaseTaken" && decoded.daemonId === taken.daemonId ? entry?.position : undefined
  })
  return journal.append([draftBranchEntry(branch, correlationId, taken)], { condition: { after, noneOf } }).pipe(
    Effect.map((positions) => positions.at(-1)),
    Effect.catchIf(isConflict, () => again ? own : Effect.undefined),
    Effect.uninterruptible,
  )
}

const leasesAtOnce = 64

export class LeaseHolder {
  readonly #journal: JournalService
  readonly #branch: LeaseTarget["branch"]
  readonly #filter: Filter
  #last: Position
  /** The entries of an append whose outcome is unknown. */
  #uncertain: ReadonlyArray<Draft> | undefined

  /**
   * `lease` is the position of its `LeaseTaken`, or of the last event since; `uncertain` holds the entries whose append got
   * no answer.
   */
  constructor({ branch, correlationId, journal }: LeaseTarget, lease: Position, uncertain?: ReadonlyArray<Draft>) {
    this.#uncertain = uncertain
    this.#journal = journal
    this.#branch = branch
    // Only the holder appends events, so an entry after its last one is either a newer lease or its own event.
    this.#filter = { branch: branch.name, correlationId, tags: [leaseTag, ...branch.event.tags] }
    this.#last = lease
  }

  get last(): Position {
    return this.#last
  }

  /**
   * Appends events: `true` when they are in the journal, `false` when the lease is lost and they never will be. After an
   * error the same events may be appended again, even if it is uncertain whether they were written: the journal has them
   * once.
   */
  append(drafts: ReadonlyArray<Draft>): Effect.Effect<boolean, JournalError> {
    return Effect.uninterruptible(this.#append(drafts))
  }

  #append(drafts: ReadonlyArray<Draft>): Effect.Effect<boolean, JournalError> {
    return Effect.suspend(() =>
      this.#journal.append(drafts, { condition: { after: this.#last, noneOf: this.#filter } })
    ).pipe(
      Effect.map((positions) => {
        this.#last = positions.at(-1) ?? this.#last
        this.#uncertain = undefined
        return true
      }),
      Effect.tapError((error) => Effect.sync(() => void (isIndeterminate(error) && (this.#uncertain ??= drafts)))),
      Effect.catchIf(
        isConflict,
        () =>
          Effect.flatMap(this.#skipUnreadable, (skipped) => skipped ? this.#append(drafts) : this.#wasWritten(drafts)),
      ),
    )
  }

  /**
   * Skips entries that look like leases but cannot be read, since they take no lease away. Returns whether there were
   * any.
   */
  readonly #skipUnreadable: Effect.Effect<boolean, JournalError> = Effect.suspend(() => {
    const read = this.#journal.read({ after: this.#last, filter: this.#filter, maxEntries: leasesAtOnce })
    return Effect.map(read, (entries) => {
      const isOther = (entry: Entry) => entry.tag !== leaseTag || decodeBranchEntry(this.#branch, entry) !== undefined
      const first = entries.findIndex(isOther)
      const last = (first < 0 ? entries : entries.slice(0, first)).at(-1)
      this.#last = last?.position ?? this.#last
      return last !== undefined
    })
  })

  /** The condition failed: the entries of the unknown append are there, or a newer lease is. */
  #wasWritten(drafts: ReadonlyArray<Draft>): Effect.Effect<boolean, JournalError> {
    const written = this.#uncertain
    if (written === undefined) return Effect.succeed(false)
    const found = this.#journal.read({ after: this.#last, filter: this.#filter, maxEntries: written.length })
    return Effect.flatMap(found, (entries) => {
      const end = entries.at(-1)
      if (end === undefined || entries.some(({ tag }, index) => tag !== written[index]?.body._tag)) {
        return Effect.succeed(false)
      }
      this.#last = end.position
      this.#uncertain = undefined
      return written === drafts ? Effect.succeed(true) : this.#append(drafts)
    })
  }
}
