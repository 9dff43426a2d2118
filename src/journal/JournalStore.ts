/**
 * What a store of entries has to give. The journal is built over it once: chain, group commit, tailing, verification.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Filter, Head, Position, Row } from "./Entry.ts"
import type { JournalError } from "./JournalError.ts"

/**
 * When an append counts as done.
 *
 * - `memory`: the store has it; it is lost when this process, or the store's server, dies.
 * - `os`: the operating system has it; it outlives this process, and is lost when the machine loses power.
 * - `disk`: the disk has confirmed it (fsync); it outlives the machine.
 *
 * A store may give more than it is asked for, never less.
 */
export type Durability = "memory" | "os" | "disk"

/** Which rows are asked for: those after one position and before another that the filter means. */
export interface Scan {
  /** Exclusive. Default: 0. */
  readonly after?: Position | undefined
  /** Exclusive. Default: no end. */
  readonly before?: Position | undefined
  readonly filter?: Filter | undefined
  /** The most rows that come back; the first of the order. */
  readonly limit: number
  /** Also the most bytes of body, about; at least one row comes back however large. Default: no limit. */
  readonly maxBytes?: number | undefined
  /** Ascending positions, or descending. Default: `"forward"`. */
  readonly order?: "forward" | "backward" | undefined
  /** Leave the bodies out (`body` is `""`): for whoever needs only what the row says beside it. Default: `false`. */
  readonly headersOnly?: boolean | undefined
}

/** A write that nobody else's write overlaps: not of this process, not of another, not of another machine. */
export interface StoreTransaction {
  /** Where the journal ended when the transaction began. */
  readonly head: Head
  /** As {@link JournalStore.scan}; sees what this transaction has written. */
  readonly scan: (scan: Scan) => Effect.Effect<ReadonlyArray<Row>, JournalError>
  /** Adds rows; their positions follow the head's without a gap, also after rows were removed or stripped. */
  readonly insert: (rows: ReadonlyArray<Row>) => Effect.Effect<void, JournalError>
  /** Removes every row up to and with a position. The head's own row is never among them. */
  readonly removeThrough: (position: Position) => Effect.Effect<void, JournalError>
  /** Empties the bodies of rows; positions, hashes and the rest stay. */
  readonly strip: (positions: ReadonlyArray<Position>) => Effect.Effect<void, JournalError>
}

/** How large a store is. */
export interface StoreSize {
  readonly entries: number
  /** Bytes that it takes where it is kept, as far as it can tell. */
  readonly bytes: number
  /** The first position that is still there; 0 when it is empty. */
  readonly first: Position
}

/** A place where rows are kept. It is opened in a Scope and closed with it. */
export interface JournalStore {
  /** Which store this is: `"memory"`, `"ndjson"`, `"sqlite"`, `"postgres"`. */
  readonly name: string
  /** Where it is, for people: a path or an address, never with a password. */
  readonly location: string
  /** Levels at which it can confirm. */
  readonly durabilities: ReadonlyArray<Durability>
  /** Whether a transaction runs to its end without waiting for anything: then a lone append does not wait for others. */
  readonly synchronous: boolean
  readonly head: Effect.Effect<Head, JournalError>
  readonly size: Effect.Effect<StoreSize, JournalError>
  /** Rows in order. A row that cannot be read is `Corrupt` and names the position. */
  readonly scan: (scan: Scan) => Effect.Effect<ReadonlyArray<Row>, JournalError>
  /**
   * Compares what the store keeps beside its rows to find them (indexes, marks, tables) with the rows themselves, and
   * fails with `Corrupt` where it does not fit: the chain covers rows alone. Not given where nothing is kept.
   */
  readonly check?: Effect.Effect<void, JournalError> | undefined
  /**
   * Runs `work` as one transaction: all of it is kept, at the durability, when this returns; none of it when it fails or
   * is interrupted before the commit. Where a connection was lost `work` may run again from its start. Only one runs at a
   * time in this process: the journal sees to that.
   */
  readonly transact: <A>(
    durability: Durability,
    work: (transaction: StoreTransaction) => Effect.Effect<A, JournalError>,
  ) => Effect.Effect<A, JournalError>
  /**
   * Calls `wake` whenever somebody else (another process) may have appended, until the Scope closes. Runs while somebody
   * waits for entries, once for all of them. Too many calls do no harm; a call that never comes is a late reader.
   */
  readonly watch: (wake: () => void) => Effect.Effect<void, JournalError, Scope.Scope>
}
