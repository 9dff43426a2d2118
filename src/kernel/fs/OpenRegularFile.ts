/**
 * Implements the position, the access checks and the append mode of open regular files. Source: open(2), lseek(2), pread(2).
 */
import { Errno } from "../Errno.ts"
import { FileFlag, OpenFile, Whence } from "../OpenFile.ts"
import { FileType } from "../Stat.ts"
import type { NodeOpenOptions } from "./Node.ts"

export abstract class OpenRegularFile extends OpenFile {
  override readonly type: FileType = FileType.regularFile
  readonly #read: boolean
  readonly #write: boolean
  #position = 0

  constructor({ flags, read, write }: NodeOpenOptions) {
    super()
    this.#read = read
    this.#write = write
    this.flags = flags
  }

  protected abstract size(): number
  /** Reads at an offset that is not negative. */
  protected abstract readBytes(offset: number, into: Uint8Array): number
  /** Writes at an offset that is not negative; an appending file writes at its end instead. */
  protected abstract writeBytes(offset: number, from: Uint8Array): number
  protected abstract resize(size: number): number
  protected abstract allocateBytes(offset: number, length: number): number

  protected get appends(): boolean {
    return (this.flags & FileFlag.append) !== 0
  }

  override read(into: Uint8Array): number {
    if (!this.#read) return -Errno.EBADF
    const count = this.readBytes(this.#position, into)
    if (count > 0) this.#position += count
    return count
  }

  override write(from: Uint8Array): number {
    if (!this.#write) return -Errno.EBADF
    const count = this.writeBytes(this.#position, from)
    // Another process may have appended meanwhile; this write still went to the end.
    if (count > 0) this.#position = this.appends ? this.size() : this.#position + count
    return count
  }

  override available(): number {
    return Math.max(0, this.size() - this.#position)
  }

  override readAt(offset: number, into: Uint8Array): number {
    if (!this.#read) return -Errno.EBADF
    return offset < 0 ? -Errno.EINVAL : this.readBytes(offset, into)
  }

  /** Appends regardless of the offset if the file is open with `append`: pwrite(2), "BUGS". */
  override writeAt(offset: number, from: Uint8Array): number {
    if (!this.#write) return -Errno.EBADF
    return offset < 0 ? -Errno.EINVAL : this.writeBytes(offset, from)
  }

  override seek(offset: number, whence: number): number {
    const from = whence === Whence.set
      ? 0
      : whence === Whence.current
      ? this.#position
      : whence === Whence.end
      ? this.size()
      : NaN
    const to = from + offset
    if (!(to >= 0 && to <= Number.MAX_SAFE_INTEGER)) return -Errno.EINVAL
    this.#position = to
    return to
  }

  override truncate(size: number): number {
    return !this.#write || size < 0 ? -Errno.EINVAL : this.resize(size)
  }

  override allocate(offset: number, length: number): number {
    if (!this.#write) return -Errno.EBADF
    return offset < 0 || length <= 0 ? -Errno.EINVAL : this.allocateBytes(offset, length)
  }
}
