/**
 * A file of the host that is open.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { FileFlag, OpenFile } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import type { HostFiles } from "./HostFiles.ts"
import { seekFrom } from "./MemoryFile.ts"

/** Reads and writes at offsets of its own: the host's position is never used. */
export class OpenHostFile extends OpenFile {
  override readonly type: FileType = FileType.regularFile
  readonly #files: HostFiles
  readonly #handle: number
  readonly #read: boolean
  readonly #write: boolean
  readonly #asSeen: (stat: Stat) => Stat
  #position = 0

  /** `asSeen` gives what the host says the numbers that the sandbox knows. */
  constructor(
    files: HostFiles,
    handle: number,
    read: boolean,
    write: boolean,
    flags: number,
    asSeen: (stat: Stat) => Stat,
  ) {
    super()
    this.#files = files
    this.#handle = handle
    this.#read = read
    this.#write = write
    this.#asSeen = asSeen
    this.flags = flags
  }

  protected override close(): void {
    this.#files.close(this.#handle)
  }

  #size(): number {
    const stat = this.#files.stat(this.#handle)
    return typeof stat === "number" ? 0 : stat.size
  }

  override read(into: Uint8Array): number {
    if (!this.#read) return -Errno.EBADF
    const count = this.#files.read(this.#handle, this.#position, into)
    if (count > 0) this.#position += count
    return count
  }

  override write(from: Uint8Array): number {
    if (!this.#write) return -Errno.EBADF
    const append = (this.flags & FileFlag.append) !== 0
    const count = this.#files.write(this.#handle, append ? this.#size() : this.#position, from)
    // Somebody else may have appended meanwhile; the end is where this went all the same.
    if (count > 0) this.#position = append ? this.#size() : this.#position + count
    return count
  }

  override available(): number {
    return Math.max(0, this.#size() - this.#position)
  }

  override readAt(offset: number, into: Uint8Array): number {
    if (!this.#read) return -Errno.EBADF
    return offset < 0 ? -Errno.EINVAL : this.#files.read(this.#handle, offset, into)
  }

  override writeAt(offset: number, from: Uint8Array): number {
    if (!this.#write) return -Errno.EBADF
    if (offset < 0) return -Errno.EINVAL
    return this.#files.write(this.#handle, (this.flags & FileFlag.append) !== 0 ? this.#size() : offset, from)
  }

  override seek(offset: number, whence: number): number {
    const position = seekFrom(offset, whence, this.#position, () => this.#size())
    if (position >= 0) this.#position = position
    return position
  }

  override stat(): Stat | number {
    const stat = this.#files.stat(this.#handle)
    return typeof stat === "number" ? stat : this.#asSeen(stat)
  }

  override truncate(size: number): number {
    return !this.#write || size < 0 ? -Errno.EINVAL : this.#files.truncate(this.#handle, size)
  }

  /** Only makes the file longer: the host's runtimes have no posix_fallocate(3), so the space is not reserved. */
  override allocate(offset: number, length: number): number {
    if (!this.#write) return -Errno.EBADF
    if (offset < 0 || length <= 0) return -Errno.EINVAL
    return offset + length > this.#size() ? this.#files.truncate(this.#handle, offset + length) : 0
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    const stat = this.#files.stat(this.#handle)
    if (typeof stat === "number") return stat
    return this.#files.setHandleTimes(this.#handle, accessed ?? stat.accessed, modified ?? stat.modified)
  }

  override sync(): number {
    return this.#files.sync(this.#handle)
  }
}
