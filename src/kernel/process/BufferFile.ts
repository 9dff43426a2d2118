/** Implements an open file that keeps the bytes that processes write to it, within a byte budget. */
import { ByteBuffer } from "../../base/ByteBuffer.ts"
import { Errno } from "../Errno.ts"
import { OpenFile } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { nextInode, plainStat } from "./plainStat.ts"

/** The number of bytes that may still be written, in total to all files that share the budget. */
export interface ByteBudget {
  /** Bytes that are left. */
  left: number
}

/**
 * An open file that keeps the bytes written to it. A write beyond the budget is `-EDQUOT`, for which the kernel ends the
 * process.
 */
export class BufferFile extends OpenFile {
  /** As a pipe. */
  readonly type: FileType = FileType.unknown
  readonly #inode = nextInode()
  readonly #budget: ByteBudget
  readonly #buffer = new ByteBuffer(Infinity)

  /** `budget`: the limit in bytes, or a budget that several files share. Default: no limit. */
  constructor(budget: ByteBudget | number = Infinity) {
    super()
    this.#budget = typeof budget === "number" ? { left: budget } : budget
  }

  /** Keeps as many bytes as the budget allows; `-EDQUOT` when it allows none. */
  override write(from: Uint8Array): number {
    if (from.length === 0) return 0
    const count = Math.min(from.length, this.#budget.left)
    if (count === 0) return -Errno.EDQUOT
    this.#budget.left -= count
    this.#buffer.push(count === from.length ? from : from.subarray(0, count))
    return count
  }

  /** A copy of the bytes written so far. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.bytes.slice()
  }

  /** The text written so far, decoded as UTF-8. */
  get text(): string {
    return new TextDecoder().decode(this.#buffer.bytes)
  }

  /** Its size is the number of bytes written so far. */
  override stat(): Stat {
    return plainStat(this.type, this.#inode, this.#buffer.size)
  }
}
