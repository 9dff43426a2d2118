/**
 * Defines the proof of a range of rows: which of them are chained to one another, and which are left to a walk row by
 * row. A store proves ranges where it can do so faster than the walk, in threads for example.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { Position } from "./Entry.ts"

/** Positions, both included. */
export interface PositionRange {
  readonly from: Position
  readonly to: Position
}

/** The positions to prove. */
export interface ProofRange extends PositionRange {
  /** Positions of which the hash is wanted: they are gaps. */
  readonly skip: ReadonlyArray<Position>
}

/** Consecutive rows that were not proven: stripped, invalid, or left out by the prover. */
export interface ProofGap {
  readonly from: Position
  /** The hash before the first row. */
  readonly previous: string
  readonly through: Position
  /** The hash in the last row. */
  readonly hash: string
}

/** The proof of the rows up to the first one that is missing. */
export interface ChainProof {
  /** The hash before the first row, as it was read; it is compared with that of the range before. */
  readonly previous: string
  /** The last row; before `from` if the first one is missing. */
  readonly through: Position
  /** The hash in the last row. */
  readonly hash: string
  /** In order. Every other row has a hash and a tag that match its content. */
  readonly gaps: ReadonlyArray<ProofGap>
  /** From here on, `checkRows` of the store would find all rows valid, also those in gaps; it may be after `through`. */
  readonly checkedFrom: Position
}

/** Proves ranges. */
export interface ChainProver {
  /** Ranges to prove at the same time. */
  readonly concurrency: number
  /** Positions of one range: each begins at a multiple of it, but for the first. */
  readonly rangeSize: number
  /** Proves a range; `undefined` if it cannot. */
  readonly prove: (range: ProofRange) => Effect.Effect<ChainProof | undefined>
}
