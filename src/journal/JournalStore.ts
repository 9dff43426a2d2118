/** Defines the contract between a journal and the store that keeps its rows. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Filter, Head, Position, Row } from "./Entry.ts"
import type { JournalError } from "./JournalError.ts"

/**
 * When an append counts as done.
 *
 * - `memory`: the store has it; it is lost when this process, or the store's server, dies.
 * - `os`: the operating system has it; it survives this process, but not a power failure.
 * - `disk`: the disk has confirmed it (fsync); it survives a power failure.
 *
 * A store may provide more than requested, never less.
 */
export type Durability = "memory" | "os" | "disk"

/** A scan for the rows between two positions that match a filter. */
export interface Scan {
  /** Exclusive. Default: 0. */
  readonly after?: Position | undefined
  /** Exclusive. Default: no end. */
  readonly before?: Position | undefined
  readonly filter?: Filter | undefined
  /** Maximum number of rows: the first ones in the order. */
  readonly maxRows: number
  /** Approximate maximum size of all bodies; at least one row is returned, however large. Default: no limit. */
  readonly maxBytes?: number | undefined
  /** Ascending positions, or descending. Default: `"forward"`. */
  readonly order?: "forward" | "backward" | undefined
  /** Leaves out the bodies (`body` is `""`). Default: `false`. */
  readonly headersOnly?: boolean | undefined
}

/** A write transaction. No other write overlaps it, in this process, another one, or on another machine. */
export interface StoreTransaction {
  readonly head: Head
  /** As {@link JournalStore.scan}; includes the changes of this transaction. */
  readonly scan: (scan: Scan) => Effect.Effect<ReadonlyArray<Row>, JournalError>
  /** Adds rows at consecutive positions after the head, also after rows were removed or stripped. */
  readonly insert: (rows: ReadonlyArray<Row>) => Effect.Effect<void, JournalError>
  /** Removes every row up to a position, inclusive. The head's row cannot be removed. */
  readonly removeThrough: (position: Position) => Effect.Effect<void, JournalError>
  /** Removes the bodies of rows; all other fields stay. */
  readonly strip: (positions: ReadonlyArray<Position>) => Effect.Effect<void, JournalError>
}

/**
 * The size of a store.
 *
 * @stability stable
 */
export interface StoreSize {
  readonly entries: number
  /** Approximate number of bytes in the medium. */
  readonly bytes: number
  /** The first position that was not removed; 0 when the store is empty. */
  readonly first: Position
}

/** A scan that also compares each row with what the store derives from it. */
export interface VerifyingScan extends Pick<JournalStore, "scan"> {
  /** A `Corrupt` for the first row whose derived data differ; `undefined` while there is none. */
  readonly failure: () => JournalError | undefined
}

/** Keeps the rows of a journal. It is opened in a Scope and closed with it. */
export interface JournalStore {
  /** The kind of store: `"memory"`, `"ndjson"`, `"sqlite"`, `"postgres"`. */
  readonly name: string
  /** A path or an address for people, never with a password. */
  readonly location: string
  /** The durabilities that it offers, ascending. */
  readonly durabilities: ReadonlyArray<Durability>
  /** Whether a transaction completes without waiting: then a lone append is not delayed to form a group. */
  readonly synchronous: boolean
  readonly head: Effect.Effect<Head, JournalError>
  readonly size: Effect.Effect<StoreSize, JournalError>
  /** Reads rows in order. Fails with `Corrupt` and the position for a row that cannot be read. */
  readonly scan: (scan: Scan) => Effect.Effect<ReadonlyArray<Row>, JournalError>
  /**
   * Checks the medium, its indexes included; fails with `Corrupt`. The hash chain covers rows alone. `undefined` for a
   * store without derived data.
   */
  readonly check?: Effect.Effect<void, JournalError> | undefined
  /** Makes the scan of one verification, which reads all rows in order. Default: {@link JournalStore.scan}. */
  readonly verifyingScan?: (() => VerifyingScan) | undefined
  /**
   * Runs `work` as one transaction: all changes are durable when this returns, and none is kept when it fails or is
   * interrupted before the commit. After a lost connection, `work` may run again from its start. The journal runs one
   * transaction at a time in this process.
   */
  readonly transact: <A>(
    durability: Durability,
    work: (transaction: StoreTransaction) => Effect.Effect<A, JournalError>,
  ) => Effect.Effect<A, JournalError>
  /**
   * Inserts the rows that `rowsAfter` makes for the head, in a transaction of their own, without an Effect. Returns
   * `undefined` and changes nothing if this needs {@link JournalStore.transact}. Only a store that no other process
   * shares has it.
   */
  readonly insertNow?: ((rowsAfter: (head: Head) => ReadonlyArray<Row>) => ReadonlyArray<Row> | undefined) | undefined
  /**
   * Calls `wake` whenever another process may have appended, until the Scope closes. One watch runs while there are
   * tails. Superfluous calls are harmless; a missing call delays the tails.
   */
  readonly watch: (wake: () => void) => Effect.Effect<void, JournalError, Scope.Scope>
}
