/**
 * Gathers entries until they are a segment.
 *
 * @module
 */
import type { Row } from "../../Entry.ts"
import type { Cell } from "./driver.ts"
import { joinBodies, joinHashes, joinNumbers, mostEntries, mostText, standsAlone } from "./segmentText.ts"

/** The segment that is being gathered. */
export class SegmentBuilder {
  #last = 0
  #time = 0
  #text = 0
  #isAlone = false
  #correlations: Array<number> = []
  #kinds: Array<number> = []
  #hashes: Array<string> = []
  #bodies: Array<string> = []

  get isEmpty(): boolean {
    return this.#bodies.length === 0
  }

  /** Whether an entry belongs to it. */
  takes(row: Row): boolean {
    const { body, position, time } = row
    const count = this.#bodies.length
    return count === 0 ||
      (!this.#isAlone && count < mostEntries && position === this.#last + 1 && time === this.#time &&
        this.#text + body.length <= mostText && !standsAlone(row))
  }

  add(row: Row, correlation: number, kind: number): void {
    const { body, hash, position, time } = row
    if (this.isEmpty) {
      this.#time = time
      this.#text = 0
      this.#isAlone = standsAlone(row)
    }
    this.#last = position
    this.#text += body.length
    this.#correlations.push(correlation)
    this.#kinds.push(kind)
    this.#hashes.push(hash)
    this.#bodies.push(body)
  }

  /** The cells of its row, in the order of the table; then it is empty. */
  finish(): ReadonlyArray<Cell> {
    const count = this.#bodies.length
    const cells = [
      this.#last,
      count,
      this.#time,
      joinNumbers(this.#correlations),
      joinNumbers(this.#kinds),
      this.#hashes.at(-1) ?? "",
      joinHashes(this.#hashes),
      joinBodies(this.#bodies),
    ]
    this.#correlations = []
    this.#kinds = []
    this.#hashes = []
    this.#bodies = []
    return cells
  }
}
