/**
 * The host's ends of pipes whose other ends processes have: pulled and pushed with plain callbacks, 64 KiB at a time.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import { pipeCapacity } from "../process/Pipe.ts"

/** Where the host reads. */
export interface HostReader {
  /**
   * Reads once. `done` is called exactly once, perhaps before `read` returns: with at least one byte, valid until the
   * next `read`, or with `undefined` at the end. One read at a time.
   */
  readonly read: (done: (bytes: Uint8Array | undefined) => void) => void
  /** Gives the pipe up: a read that is under way ends with `undefined`, and who writes gets EPIPE. */
  readonly release: () => void
}

/** Where the host writes. */
export interface HostWriter {
  /** Writes all the bytes; answers when the pipe has taken them: `false` when nobody will read them. One at a time. */
  readonly write: (bytes: Uint8Array) => Promise<boolean>
  /** Ends the input. Idempotent. */
  readonly end: () => Promise<void>
}

/** Buffers of pipes that were given up, for the next ones. */
const spare: Array<Uint8Array<ArrayBuffer>> = []
const mostSpare = 16

/** Reads the reading end of a pipe, whose reference it takes over. */
export const hostReader = (pipe: OpenFile): HostReader => {
  let buffer: Uint8Array<ArrayBuffer> | undefined
  let waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  let released = false
  const settle = (bytes: Uint8Array | undefined): void => {
    const done = waiting
    waiting = undefined
    done?.(bytes)
  }
  const attempt = (): void => {
    if (waiting === undefined) return
    buffer ??= spare.pop() ?? new Uint8Array(pipeCapacity)
    const count = pipe.read(buffer)
    // In a microtask of its own, not in the wake: whoever wrote one line may be writing the next.
    if (count === -Errno.EAGAIN) pipe.whenReadable(() => queueMicrotask(attempt))
    else settle(count > 0 ? buffer.subarray(0, count) : undefined)
  }
  return {
    read: (done) => {
      if (released) return done(undefined)
      waiting = done
      attempt()
    },
    release: () => {
      if (released) return
      released = true
      pipe.release()
      if (buffer !== undefined && spare.length < mostSpare) spare.push(buffer)
      buffer = undefined
      settle(undefined)
    },
  }
}

/** Writes the writing end of a pipe, whose reference it takes over. */
export const hostWriter = (pipe: OpenFile): HostWriter => {
  let ended = false
  let giveUp: (() => void) | undefined
  return {
    write: (bytes) =>
      new Promise((resolve) => {
        let at = 0
        const settle = (wanted: boolean): void => {
          giveUp = undefined
          resolve(wanted)
        }
        const attempt = (): void => {
          while (at < bytes.length) {
            const count = ended ? -Errno.EPIPE : pipe.write(at === 0 ? bytes : bytes.subarray(at))
            if (count === -Errno.EAGAIN) {
              const stop = pipe.whenWritable(() => queueMicrotask(attempt))
              giveUp = () => {
                stop()
                settle(false)
              }
              return
            }
            if (count < 0) return settle(false)
            at += count
          }
          settle(!ended)
        }
        attempt()
      }),
    end: () => {
      if (!ended) {
        ended = true
        pipe.release()
        giveUp?.()
      }
      return Promise.resolve()
    },
  }
}
