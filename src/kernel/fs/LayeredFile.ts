/** Implements a file of an overlay, which reads the lower file until the first change copies it to memory. */
import { Errno } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { Stat } from "../Stat.ts"
import { digestOfOpen } from "./contentDigest.ts"
import { MemoryFile } from "./MemoryFile.ts"
import { Inode, type MemoryVolume } from "./MemoryVolume.ts"
import { type Frozen, frozenOf } from "./Frozen.ts"
import { type Origin, originOf, stampOf } from "./Origin.ts"
import type { FrozenBytes } from "./SparseBytes.ts"
import { type FileNode, type NodeOpenOptions, ownerPermits, Permission } from "./Node.ts"

const copyBytes = 65_536

/** Opens a lower file for reading, regardless of its mode. */
const toRead: NodeOpenOptions = { read: true, write: false, truncate: false, flags: 0, trusted: true }

/**
 * A file of an overlay. Two names of one lower file become two files with the first write, as in overlayfs without an index.
 */
export class LayeredFile extends MemoryFile {
  /** The lower file; `undefined` once its bytes were copied. */
  lower: FileNode | undefined
  #reader: OpenFile | undefined
  #origin: Origin | undefined

  constructor(
    volume: MemoryVolume,
    lower: FileNode | undefined,
    inode?: Inode,
    bytes?: FrozenBytes,
    origin?: Origin,
  ) {
    super(volume, inode, bytes)
    this.lower = lower
    this.#origin = origin
  }

  /** The state of the lower file when this layer first read or changed it. */
  get origin(): Origin | undefined {
    if (this.#origin === undefined && this.lower !== undefined) this.#origin = originOf(this.lower)
    return this.#origin
  }

  /** Takes over the state of the lower file, to which the changes were written. */
  renewOrigin(node: FileNode): void {
    this.#origin = originOf(node)
  }

  override freeze(frozen: MemoryVolume): Frozen<LayeredFile> {
    const { lower } = this
    const copy = this.changed ? this.inode.copyTo(frozen) : undefined
    const bytes = this.content.freeze()
    const origin = this.#origin
    return frozenOf(copy, bytes, (volume, inode) => new LayeredFile(volume, lower, inode, bytes, origin))
  }

  protected override makeInode(): Inode {
    void this.origin
    const stat = this.#lowerStat()
    return new Inode(this.volume, 0o600, typeof stat === "object" ? stat : undefined)
  }

  #lowerStat(): Stat | number | undefined {
    return this.#reader?.stat() ?? this.lower?.stat()
  }

  override size(): number {
    const stat = this.#lowerStat()
    return stat === undefined ? this.content.size : typeof stat === "number" ? 0 : stat.size
  }

  override stat(): Stat | number {
    const stat = this.#lowerStat()
    return this.changed || stat === undefined ? this.inode.stat(this.type, this.size()) : stat
  }

  override open(options: NodeOpenOptions): OpenFile | number {
    const { read, truncate, trusted, write } = options
    const { lower } = this
    if (lower === undefined) return super.open(options)
    if (this.volume.readOnly) return write || truncate ? -Errno.EROFS : lower.open(options)
    const stat = this.stat()
    if (typeof stat === "number") return stat
    const requested = (read ? Permission.read : 0) | (write || truncate ? Permission.write : 0)
    if (!trusted && !ownerPermits(stat.mode, requested)) return -Errno.EACCES
    // Recorded before the first read, so that no later change by others is missed.
    this.#origin ??= { node: lower, stamp: stampOf(lower, stat) }
    // Keeps the lower file open, so that an opened file can be read to its end.
    const reader = this.#openLower(lower)
    if (reader < 0) return reader
    const opened = super.open({ ...options, trusted: true })
    if (typeof opened === "number") this.#closeLower()
    return opened
  }

  #openLower(lower: FileNode): number {
    if (this.#reader !== undefined) return 0
    const reader = lower.open(toRead)
    if (typeof reader === "number") return reader
    this.#reader = reader
    return 0
  }

  #closeLower(): void {
    if (this.opened > 0) return
    this.#reader?.release()
    this.#reader = undefined
  }

  override read(offset: number, into: Uint8Array): number {
    return this.lower === undefined ? super.read(offset, into) : this.#reader?.readAt(offset, into) ?? -Errno.EIO
  }

  override write(offset: number, from: Uint8Array): number {
    const copied = from.length === 0 ? 0 : this.#copy(Infinity)
    return copied < 0 ? copied : super.write(offset, from)
  }

  override truncate(size: number): number {
    const copied = this.#copy(size)
    return copied < 0 ? copied : super.truncate(size)
  }

  override allocate(offset: number, length: number): number {
    const copied = this.#copy(Infinity)
    return copied < 0 ? copied : super.allocate(offset, length)
  }

  override release(): void {
    super.release()
    this.#closeLower()
  }

  override freeUnused(): void {
    super.freeUnused()
    this.#closeLower()
  }

  /** Copies the lower file, or its first `maxBytes`: all or nothing. */
  #copy(maxBytes: number): number {
    const { lower } = this
    if (lower === undefined) return 0
    const opened = this.#openLower(lower)
    const reader = this.#reader
    if (opened < 0 || reader === undefined) return opened
    const bytes = Math.min(maxBytes, this.size())
    const { origin } = this
    if (origin !== undefined && !(lower instanceof MemoryFile)) {
      this.#origin = { ...origin, digest: digestOfOpen(reader) }
    }
    let problem = 0
    if (bytes > this.volume.maxFileBytes) problem = -Errno.EFBIG
    else if (bytes > this.volume.maxBytes - this.volume.bytes) problem = -Errno.ENOSPC
    const buffer = new Uint8Array(Math.min(copyBytes, bytes))
    for (let at = 0; at < bytes && problem === 0;) {
      const count = reader.readAt(at, buffer.subarray(0, Math.min(copyBytes, bytes - at)))
      // The lower file has become shorter.
      if (count === 0) break
      if (count < 0) problem = count
      else if (this.content.write(at, buffer.subarray(0, count)) < count) problem = -Errno.ENOSPC
      at += count
    }
    if (problem !== 0) {
      this.content.free()
      this.#closeLower()
      return problem
    }
    // Creates the inode from the lower stat while it is available.
    void this.inode
    this.lower = undefined
    reader.release()
    this.#reader = undefined
    return 0
  }
}
