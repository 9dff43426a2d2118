/**
 * What the checkpoints of a journal sign off, held against its rows as they come.
 *
 * @module
 */
import { type Checkpoint, extendStripDigest } from "./checkpoint.ts"
import type { Position, Row } from "./Entry.ts"

/** Entries without bodies, as one checkpoint signs them off. */
class Stripped {
  readonly first: Position
  readonly last: Position
  readonly #hash: string
  readonly #ranges: ReadonlyArray<readonly [Position, Position]>
  #range = 0
  #digest = ""
  /** Whether all of them will have come. */
  whole: boolean

  constructor({ hash, positions = [], through }: Checkpoint, seen: Position) {
    this.#ranges = positions
    this.first = positions[0]?.[0] ?? 0
    this.last = through
    this.#hash = hash
    this.whole = this.first > seen
  }

  /** Takes a row, if it is one of them. Rows come in order. */
  take(row: Row): boolean {
    while ((this.#ranges[this.#range]?.[1] ?? Infinity) < row.position) this.#range++
    if ((this.#ranges[this.#range]?.[0] ?? Infinity) > row.position) return false
    this.#digest = extendStripDigest(this.#digest, row)
    return true
  }

  get holds(): boolean {
    return !this.whole || this.#digest === this.#hash
  }
}

/** What checkpoints say, for a walk from the first row to the last. */
export class CheckpointVerifier {
  readonly #removals = new Map<Position, { readonly hash: string; readonly late: boolean }>()
  #strips: ReadonlyArray<Stripped> = []
  /** Those before this one have been left behind. */
  #from = 0

  /** Hears of checkpoints, when the rows up to `seen` were walked. `late`: they were written since the walk began. */
  learn(checkpoints: ReadonlyArray<Checkpoint>, seen: Position, late: boolean): void {
    for (const { hash, kind, through } of checkpoints) {
      if (kind === "removed") this.#removals.set(through, { hash, late })
    }
    const more = checkpoints.filter(({ kind }) => kind === "stripped").map((each) => new Stripped(each, seen))
    this.#strips = [
      ...this.#strips.slice(0, this.#from),
      ...[...this.#strips.slice(this.#from), ...more]
        .sort((a, b) => a.first - b.first),
    ]
  }

  /** The hash of the entry at a position, if everything up to it was removed and signed off. */
  removed(through: Position, seen: Position): string | undefined {
    const removal = this.#removals.get(through)
    // A gap within can only be what was pruned during the walk: before that, what was pruned was the beginning.
    if (removal === undefined || (seen > 0 && !removal.late)) return undefined
    // What covered some of them was signed off anew, for those that are left.
    for (const strip of this.#strips) if (strip.first <= through && strip.last > seen) strip.whole = false
    return removal.hash
  }

  /** The last position up to which everything was removed and signed off, of those before a position. */
  removedBefore(position: Position): Position {
    let last = 0
    for (const through of this.#removals.keys()) if (through < position) last = Math.max(last, through)
    return last
  }

  /** Whether a checkpoint says that this row may be without its body. */
  take(row: Row): boolean {
    let taken = false
    for (let at = this.#from; at < this.#strips.length; at++) {
      const strip = this.#strips[at]
      if (strip === undefined || strip.first > row.position) break
      if (strip.last >= row.position && strip.take(row)) taken = true
      else if (strip.last < row.position && at === this.#from) this.#from++
    }
    return taken
  }

  /** The first position from which on entries without bodies are not those that were signed off. */
  get broken(): Position | undefined {
    return this.#strips.find((strip) => !strip.holds)?.first
  }
}
