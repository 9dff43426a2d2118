/**
 * Keeps what is written to it.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { OpenFile } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { OutputBudget } from "./OutputBudget.ts"
import { nextInode, plainStat } from "./plainStat.ts"

/**
 * A capture of what processes write, for the host to read. Writes beyond the budget are `-EDQUOT`: the kernel ends the
 * process that made one.
 */
export class BufferFile extends OpenFile {
  /** As a pipe. */
  readonly type: FileType = FileType.unknown
  readonly #inode = nextInode()
  readonly #budget: OutputBudget
  #bytes = new Uint8Array(0)
  #length = 0

  /** The limit in bytes, or a budget that is shared with other files. Default: no limit. */
  constructor(budget: OutputBudget | number = Infinity) {
    super()
    this.#budget = typeof budget === "number" ? new OutputBudget(budget) : budget
  }

  /** Keeps bytes, as many as the budget allows; `-EDQUOT` when that is none. */
  override write(from: Uint8Array): number {
    if (from.length === 0) return 0
    const count = this.#budget.take(from.length)
    if (count === 0) return -Errno.EDQUOT
    const length = this.#length + count
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#bytes.length * 2, 1_024))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(count === from.length ? from : from.subarray(0, count), this.#length)
    this.#length = length
    return count
  }

  /** A copy of what was written so far. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length)
  }

  /** The same as text, read as UTF-8. */
  get text(): string {
    return new TextDecoder().decode(this.#bytes.subarray(0, this.#length))
  }

  /** Its size is what was written so far. */
  override stat(): Stat {
    return plainStat(this.type, this.#inode, this.#length)
  }
}
