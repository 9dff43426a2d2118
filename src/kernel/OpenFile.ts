/**
 * Declares `OpenFile`, the base class of the open files that descriptors share; it counts references and refuses
 * operations that a subclass does not implement. No method waits: a call that cannot be served now returns `-EAGAIN`,
 * and `whenReadable` or `whenWritable` call back when to retry; the calling process implements waiting. Source: open(2)
 * "open file description", poll(2).
 */
import { Errno } from "./Errno.ts"
import { nextInode, plainStat } from "./process/plainStat.ts"
import type { FileType, Stat } from "./Stat.ts"

/**
 * Flags of an open file; the bits are WASI's `fdflags`.
 *
 * @example
 * ```ts
 * import { OpenFile } from "@sluice/shell/kernel"
 *
 * const file = new OpenFile.NullFile()
 * file.flags = OpenFile.FileFlag.append | OpenFile.FileFlag.nonblock
 * console.log(file.flags) // 5
 * ```
 */
export const FileFlag = { append: 1, dsync: 2, nonblock: 4, rsync: 8, sync: 16 } as const

/**
 * The start of an offset; the numbers are WASI's `whence`.
 *
 * @example
 * ```ts
 * import { FileSystem, OpenFile } from "@sluice/shell/kernel"
 *
 * const files = FileSystem.VirtualFileSystem.make({ now: () => 0n })
 * const file = files.open(files.root, "/a.txt", { write: true, create: true })
 * if (typeof file === "number") throw new Error(`errno ${-file}`)
 * file.write(new TextEncoder().encode("hello"))
 * console.log(file.seek(-2, OpenFile.Whence.end)) // 3
 * file.release()
 * ```
 */
export const Whence = { set: 0, current: 1, end: 2 } as const

/** Cancels a callback. Idempotent; does nothing after the callback. */
export type StopWaiting = () => void

const nothing: StopWaiting = () => {}

/**
 * Base class of open files. Each method returns the errno of an operation that the kind of file does not support.
 *
 * @example
 * ```ts
 * import { OpenFile, Volume } from "@sluice/shell/kernel"
 *
 * class Counter extends OpenFile.OpenFile {
 *   readonly type = Volume.FileType.characterDevice
 *   bytes = 0
 *   override write(from: Uint8Array): number {
 *     this.bytes += from.length
 *     return from.length
 *   }
 * }
 * const counter = new Counter()
 * counter.write(new Uint8Array(3))
 * console.log(counter.bytes === 3 && counter.read(new Uint8Array(1)) < 0) // true
 * ```
 */
export abstract class OpenFile {
  /** The type of the file. */
  abstract readonly type: FileType
  /** Bits of {@link FileFlag}. */
  flags: number = 0
  /** Whether it waits for the host, at a stream or at the other end of a pipe. @internal */
  servedByHost = false
  /** Whether a process has read from it. */
  wasRead: boolean = false
  #references = 1
  #inode: number | undefined

  /** Adds a reference, for one more descriptor. */
  retain(): this {
    this.#references++
    return this
  }

  /** Drops a reference; the last one closes the file. */
  release(): void {
    if (--this.#references === 0) this.close()
  }

  /** Number of references. */
  get references(): number {
    return this.#references
  }

  /** Called when the last reference is dropped. */
  protected close(): void {}

  /** Reads into the array. Returns the bytes read, 0 at the end, `-EAGAIN` when there are none yet. */
  read(_into: Uint8Array): number {
    return -Errno.EBADF
  }

  /** Writes from the array. Returns the bytes written, at least one unless it is empty; `-EAGAIN` when there is no room. */
  write(_from: Uint8Array): number {
    return -Errno.EBADF
  }

  /** Whether `read` would return something other than `-EAGAIN`. */
  readable(): boolean {
    return true
  }

  /** Whether `write` would return something other than `-EAGAIN`. */
  writable(): boolean {
    return true
  }

  /** Bytes that can be read now, as far as is known. */
  available(): number {
    return 0
  }

  /** Whether the other end is closed: all writers of a reader, all readers of a writer. */
  hungUp(): boolean {
    return false
  }

  /** Calls `wake` once, when {@link readable} may have become true. Call it only after `readable()` was false. */
  whenReadable(_wake: () => void): StopWaiting {
    return nothing
  }

  /** Calls `wake` once, when {@link writable} may have become true. Call it only after `writable()` was false. */
  whenWritable(_wake: () => void): StopWaiting {
    return nothing
  }

  /** Reads at an offset; the position stays. */
  readAt(_offset: number, _into: Uint8Array): number {
    return -Errno.ESPIPE
  }

  /** Writes at an offset; the position stays. */
  writeAt(_offset: number, _from: Uint8Array): number {
    return -Errno.ESPIPE
  }

  /** Moves the position and returns the new one. */
  seek(_offset: number, _whence: number): number {
    return -Errno.ESPIPE
  }

  /**
   * Returns its type, size, mode and times. Default: those of a file outside every file system, whose size is {@link
   * available}.
   */
  stat(): Stat | number {
    return plainStat(this.type, this.#inode ??= nextInode(), this.available())
  }

  /** Sets its size. */
  truncate(_size: number): number {
    return -Errno.EINVAL
  }

  /** Allocates the bytes of a range: posix_fallocate(3). */
  allocate(_offset: number, _length: number): number {
    return -Errno.ENOTSUP
  }

  /** Sets times in nanoseconds since 1970; `undefined` keeps a time. */
  setTimes(_accessed: bigint | undefined, _modified: bigint | undefined): number {
    return -Errno.ENOTSUP
  }

  /** Writes buffered data to the disk. */
  sync(): number {
    return -Errno.EINVAL
  }

  /** The open folder, as the start of paths; `undefined` for other files. */
  get directory(): Directory | undefined {
    return undefined
  }
}

/** A folder as the start of paths. Opaque outside the file system. */
export interface Directory {
  /** Its path from the root, for display: `/home/user`. */
  readonly path: string
}
