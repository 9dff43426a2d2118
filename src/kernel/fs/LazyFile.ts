/** Implements a file in memory whose content is loaded when it is first read, or first changed in part. */
import { Errno } from "../Errno.ts"
import type { OpenFile, StopWaiting } from "../OpenFile.ts"
import { type Frozen, frozenOf } from "./Frozen.ts"
import type { LazyContent } from "./LazyContent.ts"
import { MemoryFile } from "./MemoryFile.ts"
import type { Inode, MemoryVolume } from "./MemoryVolume.ts"
import type { NodeOpenOptions } from "./Node.ts"
import type { FrozenBytes } from "./SparseBytes.ts"

/** The state of a file whose content is not loaded. */
interface Unloaded {
  readonly source: LazyContent
  /** The size that `stat` shows. */
  readonly size: number
  /**
   * The smallest size to which the file was truncated, to be applied to the content; `size` is then the latest size.
   */
  readonly cut: number | undefined
}

export class LazyFile extends MemoryFile {
  #unloaded: Unloaded | undefined
  /** The errno of the last load; opening the file clears it, so that the next reader tries again. */
  #failure = 0
  #loading: Promise<number> | undefined
  readonly #waiting = new Set<() => void>()

  constructor(volume: MemoryVolume, inode: Inode, unloaded: Unloaded) {
    super(volume, inode)
    this.#unloaded = unloaded
    volume.hasLazyFiles = true
  }

  override freeze(frozen: MemoryVolume): Frozen<MemoryFile> {
    const unloaded = this.#unloaded
    if (unloaded === undefined) return super.freeze(frozen)
    const copy = this.inode.copyTo(frozen)
    return frozenOf<MemoryFile>(
      copy,
      undefined,
      (volume, inode) => new LazyFile(volume, inode ?? copy.copyTo(volume), unloaded),
    )
  }

  override get isLoaded(): boolean {
    return this.#unloaded === undefined
  }

  override get ready(): boolean {
    return this.#unloaded === undefined || this.#failure < 0
  }

  override whenReady(wake: () => void): StopWaiting {
    this.#waiting.add(wake)
    return () => void this.#waiting.delete(wake)
  }

  override size(): number {
    return this.#unloaded?.size ?? super.size()
  }

  override open(options: NodeOpenOptions): OpenFile | number {
    if (this.#loading === undefined) this.#failure = 0
    return super.open(options)
  }

  override read(offset: number, into: Uint8Array): number {
    const wait = into.length === 0 ? 0 : this.#now()
    return wait < 0 ? wait : super.read(offset, into)
  }

  override write(offset: number, from: Uint8Array): number {
    const wait = from.length === 0 ? 0 : this.#now()
    return wait < 0 ? wait : super.write(offset, from)
  }

  override truncate(size: number): number {
    const unloaded = this.#unloaded
    if (unloaded === undefined) return super.truncate(size)
    if (size > this.volume.maxFileBytes) return -Errno.EFBIG
    const cut = Math.min(size, unloaded.cut ?? Infinity)
    this.#unloaded = cut === 0 ? undefined : { ...unloaded, size, cut }
    if (cut > 0) {
      this.inode.touch()
      return 0
    }
    this.#wake()
    return super.truncate(size)
  }

  override allocate(offset: number, length: number): number {
    return this.#unloaded === undefined ? super.allocate(offset, length) : -Errno.ENOTSUP
  }

  override load(): number | Promise<number> {
    const unloaded = this.#unloaded
    if (unloaded === undefined) return 0
    if (this.#loading !== undefined) return this.#loading
    const content = unloaded.source.get()
    if (!(content instanceof Promise)) return this.#settle(content)
    return this.#loading = content.then((loaded) => {
      this.#loading = undefined
      const settled = this.#settle(loaded)
      this.#wake()
      return settled
    })
  }

  /** Returns 0 if the content is loaded, `-EAGAIN` while it is being loaded, or the errno of the load. */
  #now(): number {
    if (this.#unloaded === undefined || this.#failure < 0) return this.#failure
    const loaded = this.load()
    return loaded instanceof Promise ? -Errno.EAGAIN : loaded
  }

  #settle(content: FrozenBytes | number): number {
    const unloaded = this.#unloaded
    // The file was overwritten or removed meanwhile.
    if (unloaded === undefined || (this.inode.links === 0 && this.opened === 0)) return 0
    const adopted = typeof content === "number" ? content : this.content.adopt(content)
    if (adopted < 0) return this.#failure = adopted
    this.#unloaded = undefined
    this.volume.changes++
    if (unloaded.cut === undefined) return 0
    super.truncate(unloaded.cut)
    return super.truncate(unloaded.size)
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }
}
