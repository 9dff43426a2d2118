/** Implements an open file of the host, within the growth quota of its file system. */
import { Errno } from "../Errno.ts"
import type { Stat } from "../Stat.ts"
import type { HostFiles } from "./HostFiles.ts"
import type { HostVolume } from "./HostVolume.ts"
import type { NodeOpenOptions } from "./Node.ts"
import { OpenRegularFile } from "./OpenRegularFile.ts"

/** An open file of the host. It keeps its own position; that of the host is not used. */
export class OpenHostFile extends OpenRegularFile {
  readonly #volume: HostVolume
  readonly #files: HostFiles
  #handle: number
  /** Reopens it without O_APPEND, if it was opened with it. */
  #reopen: ((handle: number) => number) | undefined

  constructor(
    volume: HostVolume,
    handle: number,
    options: NodeOpenOptions,
    reopen?: (handle: number) => number,
  ) {
    super(options)
    this.#volume = volume
    this.#files = volume.files
    this.#handle = handle
    this.#reopen = reopen
    volume.growth.opened(this.#files.stat(handle))
  }

  protected override close(): void {
    const last = this.#files.stat(this.#handle)
    this.#files.close(this.#handle)
    this.#volume.growth.closed(last)
  }

  protected override size(): number {
    const stat = this.#files.stat(this.#handle)
    return typeof stat === "number" ? 0 : stat.size
  }

  protected override readBytes(offset: number, into: Uint8Array): number {
    return this.#files.read(this.#handle, offset, into)
  }

  protected override writeBytes(offset: number, from: Uint8Array): number {
    const left = this.appends ? 0 : this.#leaveAppend()
    if (left < 0) return left
    const { growth } = this.#volume
    const size = this.size()
    const at = this.appends ? size : offset
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

  override stat(): Stat | number {
    const stat = this.#files.stat(this.#handle)
    return typeof stat === "number" ? stat : this.#volume.toGuestStat(stat)
  }

  protected override resize(size: number): number {
    return this.#volume.growth.resize(this.size(), size, () => this.#files.truncate(this.#handle, size))
  }

  /** Only extends the file: the runtimes have no posix_fallocate(3), so the space is not reserved. */
  protected override allocateBytes(offset: number, length: number): number {
    return offset + length > this.size() ? this.resize(offset + length) : 0
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
