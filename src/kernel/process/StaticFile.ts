/** Implements an open file from which processes read fixed bytes once. */
import { OpenFile } from "../OpenFile.ts"
import { FileType } from "../Stat.ts"

/** An open file of fixed bytes, for reading once. */
export class StaticFile extends OpenFile {
  /** As a pipe. */
  readonly type: FileType = FileType.unknown
  readonly #bytes: Uint8Array
  #at = 0

  /** The bytes are not copied. */
  constructor(bytes: Uint8Array) {
    super()
    this.#bytes = bytes
  }

  /** See {@link OpenFile.read}. */
  override read(into: Uint8Array): number {
    const count = Math.min(into.length, this.#bytes.length - this.#at)
    if (count > 0) into.set(this.#bytes.subarray(this.#at, this.#at + count))
    this.#at += count
    return count
  }

  /** Unread bytes. */
  override available(): number {
    return this.#bytes.length - this.#at
  }

  /** Whether all bytes were read. */
  override hungUp(): boolean {
    return this.#at === this.#bytes.length
  }
}
