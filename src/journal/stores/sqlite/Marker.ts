/**
 * Which rows the indexes must have: the first of each correlation id, tag and branch in its block.
 *
 * @module
 */
import type { Row } from "../../Entry.ts"
import { blockOf, indexes } from "./schema.ts"

/** The columns of a row that are searched. */
export type Marked = Pick<Row, "position" | "correlationId" | "tag" | "branch">

/** Marks rows in the order of their positions. */
export class Marker {
  #block = -1
  readonly #correlationIds = new Set<string>()
  readonly #tags = new Set<string>()
  readonly #branches = new Set<string>()

  /** Forgets what was seen. What is marked more often than it needs to be is found all the same. */
  clear(): void {
    this.#block = -1
  }

  /** The marks that a row needs. */
  marks({ branch, correlationId, position, tag }: Marked): number {
    const block = blockOf(position)
    if (block !== this.#block) {
      this.#block = block
      this.#correlationIds.clear()
      this.#tags.clear()
      this.#branches.clear()
    }
    let marks = 0
    if (!this.#correlationIds.has(correlationId)) {
      this.#correlationIds.add(correlationId)
      marks |= indexes.correlation_id.bit
    }
    if (!this.#tags.has(tag)) {
      this.#tags.add(tag)
      marks |= indexes.tag.bit
    }
    if (!this.#branches.has(branch)) {
      this.#branches.add(branch)
      marks |= indexes.branch.bit
    }
    return marks
  }
}
