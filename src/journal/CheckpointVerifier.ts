/** Compares the rows of a journal with the removals and stripped bodies that its checkpoints record. */
import { type Checkpoint, StripRecord } from "./checkpoint.ts"
import type { Position, Row } from "./Entry.ts"

export class CheckpointVerifier {
  readonly #removals = new Map<Position, { readonly hash: string; readonly isLate: boolean }>()
  #strips: ReadonlyArray<StripRecord> = []
  /** The walk has passed the records before this index. */
  #from = 0

  /**
   * Adds checkpoints, when the walk has reached `walkedThrough`. `isLate`: the checkpoints were written since the walk
   * began.
   */
  addCheckpoints(checkpoints: ReadonlyArray<Checkpoint>, walkedThrough: Position, isLate: boolean): void {
    for (const { hash, kind, through } of checkpoints) {
      if (kind === "removed") this.#removals.set(through, { hash, isLate })
    }
    const added = checkpoints
      .filter(({ kind }) => kind === "stripped")
      .map((checkpoint) => new StripRecord(checkpoint, walkedThrough))
    this.#strips = [
      ...this.#strips.slice(0, this.#from),
      ...[...this.#strips.slice(this.#from), ...added].sort((a, b) => a.first - b.first),
    ]
  }

  /** The hash of the entry at `through`, if a checkpoint records the removal of all entries up to it. */
  findRemoval(through: Position, walkedThrough: Position): string | undefined {
    const removal = this.#removals.get(through)
    // A gap after the first row can only come from a prune during the walk: earlier prunes removed the beginning.
    if (removal === undefined || (walkedThrough > 0 && !removal.isLate)) return undefined
    // The prune wrote new checkpoints for the stripped entries that remain.
    for (const strip of this.#strips) {
      if (strip.first <= through && strip.last > walkedThrough) strip.isComplete = false
    }
    return removal.hash
  }

  findLastRemovalBefore(position: Position): Position {
    let last = 0
    for (const through of this.#removals.keys()) if (through < position) last = Math.max(last, through)
    return last
  }

  /** Adds a row without a body; returns whether a checkpoint records that it was stripped. */
  addStripped(row: Row): boolean {
    let isRecorded = false
    for (let at = this.#from; at < this.#strips.length; at++) {
      const strip = this.#strips[at]
      if (strip === undefined || strip.first > row.position) break
      if (strip.last >= row.position && strip.add(row)) isRecorded = true
      else if (strip.last < row.position && at === this.#from) this.#from++
    }
    return isRecorded
  }

  get firstInvalid(): Position | undefined {
    return this.#strips.find((strip) => !strip.isValid)?.first
  }
}
