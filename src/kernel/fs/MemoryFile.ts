/** Implements regular files of in-memory volumes and overlays. */
import { Errno } from "../Errno.ts"
import type { OpenFile, StopWaiting } from "../OpenFile.ts"
import { FileType, type Stat } from "../Stat.ts"
import { type Frozen, frozenOf } from "./Frozen.ts"
import { type FrozenBytes, SparseBytes } from "./SparseBytes.ts"
import { Inode, type MemoryVolume } from "./MemoryVolume.ts"
import { FileNode, type NodeOpenOptions, ownerPermits, Permission } from "./Node.ts"
import { OpenRegularFile } from "./OpenRegularFile.ts"

const nothing: StopWaiting = () => {}

/** A regular file; it is freed with its last name and its last open file. */
export class MemoryFile extends FileNode {
  override readonly type: FileType = FileType.regularFile
  readonly volume: MemoryVolume
  readonly content: SparseBytes
  #inode: Inode | undefined
  #open = 0

  constructor(volume: MemoryVolume, inode?: Inode, bytes?: FrozenBytes) {
    super()
    this.volume = volume
    this.content = new SparseBytes(volume, bytes)
    this.#inode = inode
  }

  /** Returns its current state. `frozen`: the volume of its frozen inode. */
  freeze(frozen: MemoryVolume): Frozen<MemoryFile> {
    const bytes = this.content.freeze()
    return frozenOf(this.inode.copyTo(frozen), bytes, (volume, inode) => new MemoryFile(volume, inode, bytes))
  }

  /** Its inode; in an overlay it is created with the first change. */
  get inode(): Inode {
    return this.#inode ??= this.makeInode()
  }

  /** Whether its inode differs from that of a lower volume. */
  get changed(): boolean {
    return this.#inode !== undefined
  }

  get opened(): number {
    return this.#open
  }

  /** Whether its bytes can be read and written now. */
  get ready(): boolean {
    return true
  }

  /** Whether its content is in memory or in the lower volume. */
  get isLoaded(): boolean {
    return true
  }

  /** Loads its content. Returns 0 or an errno. */
  load(): number | Promise<number> {
    return 0
  }

  /** Calls back once when {@link ready} may have become true. */
  whenReady(_wake: () => void): StopWaiting {
    return nothing
  }

  protected makeInode(): Inode {
    return new Inode(this.volume, 0o600)
  }

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

  override open(options: NodeOpenOptions): OpenFile | number {
    const { read, truncate, trusted, write } = options
    const requested = (read ? Permission.read : 0) | (write || truncate ? Permission.write : 0)
    if (!trusted && !ownerPermits(this.inode.mode, requested)) return -Errno.EACCES
    if (truncate) {
      const cut = this.truncate(0)
      if (cut < 0) return cut
    }
    return new OpenMemoryFile(this, options)
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

  retain(): void {
    this.#open++
  }

  release(): void {
    this.#open--
    this.freeUnused()
  }

  removeName(): void {
    this.inode.addLinks(-1)
    this.freeUnused()
  }

  freeUnused(): void {
    if (this.#inode?.links !== 0) return
    if (this.#open > 0) return void this.volume.orphans.add(this.content)
    this.volume.orphans.delete(this.content)
    this.content.free()
  }
}

class OpenMemoryFile extends OpenRegularFile {
  readonly #file: MemoryFile

  constructor(file: MemoryFile, options: NodeOpenOptions) {
    super(options)
    this.#file = file
    this.servedByHost = !file.ready
    file.retain()
  }

  protected override close(): void {
    this.#file.release()
  }

  override readable(): boolean {
    return this.#file.ready
  }

  override writable(): boolean {
    return this.#file.ready
  }

  override whenReadable(wake: () => void): StopWaiting {
    return this.#file.whenReady(wake)
  }

  override whenWritable(wake: () => void): StopWaiting {
    return this.#file.whenReady(wake)
  }

  protected override size(): number {
    return this.#file.size()
  }

  protected override readBytes(offset: number, into: Uint8Array): number {
    return this.#file.read(offset, into)
  }

  protected override writeBytes(offset: number, from: Uint8Array): number {
    return this.#file.write(this.appends ? this.#file.size() : offset, from)
  }

  protected override resize(size: number): number {
    return this.#file.truncate(size)
  }

  protected override allocateBytes(offset: number, length: number): number {
    return this.#file.allocate(offset, length)
  }

  override stat(): Stat | number {
    return this.#file.stat()
  }

  override setTimes(accessed: bigint | undefined, modified: bigint | undefined): number {
    return this.#file.setTimes(accessed, modified)
  }

  override sync(): number {
    return 0
  }
}
