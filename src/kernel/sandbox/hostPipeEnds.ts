/** Reads and writes the host's ends of pipes that processes hold as stdin, stdout and stderr. */
import { Errno } from "../Errno.ts"
import type { OpenFile } from "../OpenFile.ts"
import { pipeCapacity } from "../process/Pipe.ts"

/** The host's end of a pipe that processes write. */
export interface HostReader {
  /**
   * Reads once. Calls `done` once, perhaps before it returns, with bytes valid until the next `read`; `undefined` at the end.
   */
  readonly read: (done: (bytes: Uint8Array | undefined) => void) => void
  /** Closes the pipe: a pending read ends with `undefined`, and writers get EPIPE. */
  readonly release: () => void
}

/** The host's end of a pipe that processes read. */
export interface HostWriter {
  /** Writes all bytes; one write at a time. Resolves when the pipe has taken them, with `false` if no reader is left. */
  readonly write: (bytes: Uint8Array) => Promise<boolean>
  readonly end: () => Promise<void>
}

/** Buffers of closed pipes, kept for the next ones. */
const spare: Array<Uint8Array<ArrayBuffer>> = []
const maxSpareBuffers = 16

/** Makes the host's reader of a pipe; takes over the reference of the reading end. */
export const makeHostReader = (pipe: OpenFile): HostReader => {
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
    // Runs in a microtask of its own, not in the callback, because the writer of one line may be writing the next.
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
      if (buffer !== undefined && spare.length < maxSpareBuffers) spare.push(buffer)
      buffer = undefined
      settle(undefined)
    },
  }
}

/** Makes the host's writer of a pipe; takes over the reference of the writing end. */
export const makeHostWriter = (pipe: OpenFile): HostWriter => {
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
