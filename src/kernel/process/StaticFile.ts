/**
 * Implements an open file that gives fixed bytes once.
 *
 * @module
 */
import { OpenFile } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { nextInode, plainStat } from "./plainStat.ts"

/** Reads give the bytes in order and then the end. It cannot be written. */
export class StaticFile extends OpenFile {
  /** As a pipe. */
  readonly type: FileType = FileType.unknown
  readonly #inode = nextInode()
  readonly #bytes: Uint8Array
  #at = 0

  /** The bytes are not copied. */
  constructor(bytes: Uint8Array) {
    super()
    this.#bytes = bytes
  }

  /** Gives bytes, as {@link OpenFile.read} says. */
  override read(into: Uint8Array): number {
    const count = Math.min(into.length, this.#bytes.length - this.#at)
    if (count > 0) into.set(this.#bytes.subarray(this.#at, this.#at + count))
    this.#at += count
    return count
  }

  /** Bytes that are left. */
  override available(): number {
    return this.#bytes.length - this.#at
  }

  /** Whether all was read: nobody will write more. */
  override hungUp(): boolean {
    return this.#at === this.#bytes.length
  }

  /** Its size is what is left. */
  override stat(): Stat {
    return plainStat(this.type, this.#inode, this.available())
  }
}
