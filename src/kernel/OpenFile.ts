/**
 * An open file description: what file descriptors point to. Several descriptors, of several processes, may share one.
 *
 * Nothing here ever waits: a call that cannot be served now answers `-EAGAIN`, and `whenReadable` or `whenWritable` tells
 * when to try again. Waiting, and being killed while one waits, is written once, in the process that calls.
 *
 * Source: open(2) "open file description", poll(2).
 *
 * @module
 */
import { Errno } from "./Errno.ts"
import type { FileType, Stat } from "./Stat.ts"

/** Flags of an open file; the bits are WASI's `fdflags`. */
export const FileFlag = { append: 1, dsync: 2, nonblock: 4, rsync: 8, sync: 16 } as const

/** From where an offset counts; the numbers are WASI's `whence`. */
export const Whence = { set: 0, current: 1, end: 2 } as const

/** Stops waiting. Calling it twice, or after the wake, does nothing. */
export type StopWaiting = () => void

const nothing: StopWaiting = () => {}

/** The base of everything that can be open. What a kind of file cannot do answers with its errno here. */
export abstract class OpenFile {
  /** What it is. */
  abstract readonly type: FileType
  /** Bits of {@link FileFlag}. */
  flags: number = 0
  #references = 1

  /** One more descriptor points here. */
  retain(): this {
    this.#references++
    return this
  }

  /** One descriptor less; with the last one the file is closed. */
  release(): void {
    if (--this.#references === 0) this.close()
  }

  /** How many descriptors point here. */
  get references(): number {
    return this.#references
  }

  /** The last descriptor is gone. */
  protected close(): void {}

  /** Bytes read into the array, 0 at the end, `-EAGAIN` when there are none yet. */
  read(_into: Uint8Array): number {
    return -Errno.EBADF
  }

  /** Bytes taken from the array, at least one unless it is empty; `-EAGAIN` when there is no room yet. */
  write(_from: Uint8Array): number {
    return -Errno.EBADF
  }

  /** Whether `read` would answer at once, be it with an error. */
  readable(): boolean {
    return true
  }

  /** Whether `write` would answer at once, be it with an error. */
  writable(): boolean {
    return true
  }

  /** Bytes that can be read at once, as far as is known. */
  available(): number {
    return 0
  }

  /** Whether whoever is at the other end is gone: a reader's writers, a writer's readers. */
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

  /** Reads at an offset; the file's own position stays. */
  readAt(_offset: number, _into: Uint8Array): number {
    return -Errno.ESPIPE
  }

  /** Writes at an offset; the file's own position stays. */
  writeAt(_offset: number, _from: Uint8Array): number {
    return -Errno.ESPIPE
  }

  /** Moves the file's own position; answers with the new one. */
  seek(_offset: number, _whence: number): number {
    return -Errno.ESPIPE
  }

  /** What is known of it. */
  abstract stat(): Stat | number

  /** Makes it so many bytes long. */
  truncate(_size: number): number {
    return -Errno.EINVAL
  }

  /** Makes sure that bytes of a range exist: posix_fallocate(3). */
  allocate(_offset: number, _length: number): number {
    return -Errno.ENOTSUP
  }

  /** Sets times, nanoseconds since 1970; `undefined` leaves one as it is. */
  setTimes(_accessed: bigint | undefined, _modified: bigint | undefined): number {
    return -Errno.ENOTSUP
  }

  /** Waits until what was written is on its disk. */
  sync(): number {
    return -Errno.EINVAL
  }

  /** The folder that is open here, for calls that start at it; `undefined` when it is no folder. */
  get directory(): Directory | undefined {
    return undefined
  }
}

/** A folder as a place to start from. What it is inside is the file system's own business. */
export interface Directory {
  /** Its path from the root, for people: `/home/user`. */
  readonly path: string
}
