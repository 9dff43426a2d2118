/**
 * Implements an open file of the host, with its own position and within the growth quota.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { FileFlag, OpenFile } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import type { HostFiles } from "./HostFiles.ts"
import type { HostVolume } from "./HostVolume.ts"
import { seekFrom } from "./MemoryFile.ts"
import type { NodeOpenOptions } from "./Node.ts"

/** An open file of the host. It keeps its own position; that of the host is not used. */
export class OpenHostFile extends OpenFile {
  override readonly type: FileType = FileType.regularFile
  readonly #volume: HostVolume
  readonly #files: HostFiles
  readonly #read: boolean
  readonly #write: boolean
  #handle: number
  /** Reopens it without O_APPEND, if it was opened with it. */
  #reopen: ((handle: number) => number) | undefined
  #position = 0

  constructor(
    volume: HostVolume,
    handle: number,
    { flags, read, write }: NodeOpenOptions,
    reopen?: (handle: number) => number,
  ) {
    super()
    this.#volume = volume
    this.#files = volume.files
    this.#handle = handle
    this.#read = read
    this.#write = write
    this.#reopen = reopen
    this.flags = flags
    volume.growth.opened(this.#files.stat(handle))
  }

  protected override close(): void {
    const last = this.#files.stat(this.#handle)
    this.#files.close(this.#handle)
    this.#volume.growth.closed(last)
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
    const count = this.#put(this.#position, from)
    // Another process may have appended meanwhile; this write still went to the end.
    if (count > 0) this.#position = this.#appends ? this.#size() : this.#position + count
    return count
  }

  get #appends(): boolean {
    return (this.flags & FileFlag.append) !== 0
  }

  #put(offset: number, from: Uint8Array): number {
    if (!this.#write) return -Errno.EBADF
    const left = this.#appends ? 0 : this.#leaveAppend()
    if (left < 0) return left
    const { growth } = this.#volume
    const size = this.#size()
    const at = this.#appends ? size : offset
    const wanted = Math.max(0, at + from.length - size)
    const taken = growth.take(wanted)
    const length = from.length - (wanted - taken)
    if (length <= 0 && from.length > 0) {
      growth.give(taken)
      return -Errno.ENOSPC
    }
    const count = this.#files.write(this.#handle, at, from.subarray(0, length))
    growth.give(taken - Math.max(0, Math.min(taken, at + Math.max(0, count) - size)))
    return count
  }

  /** Reopens a file whose `append` flag was cleared, so that writes use their offset. */
  #leaveAppend(): number {
    if (this.#reopen === undefined) return 0
    const handle = this.#reopen(this.#handle)
    if (handle < 0) return handle
    this.#files.close(this.#handle)
    this.#handle = handle
    this.#reopen = undefined
    return 0
  }

  override available(): number {
    return Math.max(0, this.#size() - this.#position)
  }

  override readAt(offset: number, into: Uint8Array): number {
    if (!this.#read) return -Errno.EBADF
    return offset < 0 ? -Errno.EINVAL : this.#files.read(this.#handle, offset, into)
  }

  override writeAt(offset: number, from: Uint8Array): number {
    return offset < 0 && this.#write ? -Errno.EINVAL : this.#put(offset, from)
  }

  override seek(offset: number, whence: number): number {
    const position = seekFrom(offset, whence, this.#position, () => this.#size())
    if (position >= 0) this.#position = position
    return position
  }

  override stat(): Stat | number {
    const stat = this.#files.stat(this.#handle)
    return typeof stat === "number" ? stat : this.#volume.toGuestStat(stat)
  }

  override truncate(size: number): number {
    return !this.#write || size < 0 ? -Errno.EINVAL : this.#resize(size)
  }

  #resize(size: number): number {
    return this.#volume.growth.resize(this.#size(), size, () => this.#files.truncate(this.#handle, size))
  }

  /** Only extends the file: the runtimes have no posix_fallocate(3), so the space is not reserved. */
  override allocate(offset: number, length: number): number {
    if (!this.#write) return -Errno.EBADF
    if (offset < 0 || length <= 0) return -Errno.EINVAL
    return offset + length > this.#size() ? this.#resize(offset + length) : 0
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    const change = (accessed: bigint, modified: bigint): number =>
      this.#files.setHandleTimes(this.#handle, accessed, modified)
    return this.#volume.times.set(() => this.#files.stat(this.#handle), change, accessed, modified)
  }

  override sync(): number {
    return this.#files.sync(this.#handle)
  }
}
