/**
 * Implements in-memory files and their open file descriptions.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { FileFlag, OpenFile, Whence } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { SparseBytes } from "./SparseBytes.ts"
import { Inode, type MemoryVolume } from "./MemoryVolume.ts"
import { FileNode, type NodeOpenOptions, ownerPermits, Permission } from "./Node.ts"

/** A regular file; it is freed with its last name and its last open file. */
export class MemoryFile extends FileNode {
  override readonly type: FileType = FileType.regularFile
  readonly volume: MemoryVolume
  readonly content: SparseBytes
  #inode: Inode | undefined
  #open = 0

  constructor(volume: MemoryVolume, inode?: Inode) {
    super()
    this.volume = volume
    this.content = new SparseBytes(volume)
    this.#inode = inode
  }

  /** Its inode; in an overlay it is created with the first change. */
  get inode(): Inode {
    return this.#inode ??= this.makeInode()
  }

  /** Whether its inode differs from that of a lower volume. */
  get changed(): boolean {
    return this.#inode !== undefined
  }

  /** Number of open file descriptions. */
  get opened(): number {
    return this.#open
  }

  protected makeInode(): Inode {
    return new Inode(this.volume, 0o600)
  }

  /** Returns its size in bytes. */
  size(): number {
    return this.content.size
  }

  override stat(): Stat | number {
    return this.inode.stat(this.type, this.size())
  }

  override setMode(mode: number): number {
    return this.volume.readOnly ? -Errno.EROFS : this.inode.setMode(mode)
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.volume.readOnly ? -Errno.EROFS : this.inode.setTimes(accessed, modified)
  }

  override open({ flags, read, truncate, trusted, write }: NodeOpenOptions): OpenFile | number {
    const requested = (read ? Permission.read : 0) | (write || truncate ? Permission.write : 0)
    if (!trusted && !ownerPermits(this.inode.mode, requested)) return -Errno.EACCES
    if (truncate) {
      const cut = this.truncate(0)
      if (cut < 0) return cut
    }
    return new OpenMemoryFile(this, read, write, flags)
  }

  read(offset: number, into: Uint8Array): number {
    if (into.length > 0) this.inode.read()
    return this.content.read(offset, into)
  }

  write(offset: number, from: Uint8Array): number {
    const count = this.content.write(offset, from)
    if (count > 0) this.inode.touch()
    return count
  }

  truncate(size: number): number {
    const cut = this.content.truncate(size)
    if (cut === 0) this.inode.touch()
    return cut
  }

  allocate(offset: number, length: number): number {
    const result = this.content.allocate(offset, length)
    if (result === 0) this.inode.touch()
    return result
  }

  /** Counts one more open file description. */
  retain(): void {
    this.#open++
  }

  /** Counts one open file description less. */
  release(): void {
    this.#open--
    this.freeUnused()
  }

  /** Counts one name less. */
  removeName(): void {
    this.inode.addLinks(-1)
    this.freeUnused()
  }

  freeUnused(): void {
    if (this.#open === 0 && this.#inode?.links === 0) this.content.free()
  }
}

class OpenMemoryFile extends OpenFile {
  override readonly type: FileType = FileType.regularFile
  readonly #file: MemoryFile
  readonly #read: boolean
  readonly #write: boolean
  #position = 0

  constructor(file: MemoryFile, read: boolean, write: boolean, flags: number) {
    super()
    this.#file = file
    this.#read = read
    this.#write = write
    this.flags = flags
    file.retain()
  }

  protected override close(): void {
    this.#file.release()
  }

  override read(into: Uint8Array): number {
    if (!this.#read) return -Errno.EBADF
    const count = this.#file.read(this.#position, into)
    if (count > 0) this.#position += count
    return count
  }

  override write(from: Uint8Array): number {
    if (!this.#write) return -Errno.EBADF
    const offset = (this.flags & FileFlag.append) !== 0 ? this.#file.size() : this.#position
    const count = this.#file.write(offset, from)
    if (count > 0) this.#position = offset + count
    return count
  }

  override available(): number {
    return Math.max(0, this.#file.size() - this.#position)
  }

  override readAt(offset: number, into: Uint8Array): number {
    if (!this.#read) return -Errno.EBADF
    return offset < 0 ? -Errno.EINVAL : this.#file.read(offset, into)
  }

  /** Appends regardless of the offset if the file is open with `append`: pwrite(2), "BUGS". */
  override writeAt(offset: number, from: Uint8Array): number {
    if (!this.#write) return -Errno.EBADF
    if (offset < 0) return -Errno.EINVAL
    return this.#file.write((this.flags & FileFlag.append) !== 0 ? this.#file.size() : offset, from)
  }

  override seek(offset: number, whence: number): number {
    const position = seekFrom(offset, whence, this.#position, () => this.#file.size())
    if (position >= 0) this.#position = position
    return position
  }

  override stat(): Stat | number {
    return this.#file.stat()
  }

  override truncate(size: number): number {
    return !this.#write || size < 0 ? -Errno.EINVAL : this.#file.truncate(size)
  }

  override allocate(offset: number, length: number): number {
    if (!this.#write) return -Errno.EBADF
    return offset < 0 || length <= 0 ? -Errno.EINVAL : this.#file.allocate(offset, length)
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.#file.setTimes(accessed, modified)
  }

  override sync(): number {
    return 0
  }
}

/** Computes the new position of lseek(2). */
export const seekFrom = (offset: number, whence: number, position: number, size: () => number): number => {
  const from = whence === Whence.set ? 0 : whence === Whence.current ? position : whence === Whence.end ? size() : NaN
  const to = from + offset
  return to >= 0 && to <= Number.MAX_SAFE_INTEGER ? to : -Errno.EINVAL
}
