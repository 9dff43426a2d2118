/** One text of a comparison: its lines as numbers, and which of them changed. */

export class DiffSide {
  readonly lines: ReadonlyArray<string>
  /** Equal lines have equal numbers. */
  readonly ids: Int32Array
  /** Lines outside of these bounds are common to both texts. */
  readonly from: number
  readonly to: number
  readonly #changed: Uint8Array
  /** The lines that take part in the search. */
  kept: Int32Array = new Int32Array(0)
  #indexes: ReadonlyArray<number> = []

  constructor(lines: ReadonlyArray<string>, ids: Int32Array, from: number, to: number) {
    this.lines = lines
    this.ids = ids
    this.from = from
    this.to = to
    this.#changed = new Uint8Array(ids.length + 1)
  }

  isChanged(line: number): boolean {
    return this.#changed[line] === 1
  }

  mark(line: number, isChanged: boolean): void {
    this.#changed[line] = isChanged ? 1 : 0
  }

  /** Chooses the lines that take part in the search; the others within the bounds count as changed. */
  keepLines(keep: (line: number) => boolean): void {
    const indexes: Array<number> = []
    for (let at = this.from; at < this.to; at++) {
      if (keep(at)) indexes.push(at)
      else this.mark(at, true)
    }
    this.#indexes = indexes
    this.kept = Int32Array.from(indexes, (at) => this.ids[at] ?? 0)
  }

  /** Marks a line that takes part in the search as changed. */
  markKept(at: number): void {
    this.mark(this.#indexes[at] ?? 0, true)
  }
}
