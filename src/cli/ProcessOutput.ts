/**
 * Writes bytes to the program's stdout and stderr with back-pressure.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { readErrorCode } from "../base/readErrorCode.ts"
import type { CliProcess, OutputFd } from "./CliProcess.ts"

/** An output that cannot be written any more; `code` is the system's, such as `EPIPE` when its reader went away. */
export class BrokenOutputError {
  readonly _tag = "BrokenOutputError" as const
  readonly fd: OutputFd
  readonly code: string

  constructor(fd: OutputFd, code: string) {
    this.fd = fd
    this.code = code
  }
}

/**
 * Whether the reader of an output went away. What Node and Bun give their children as stdout is a socket, and one
 * that was closed with bytes unread says ECONNRESET where a pipe says EPIPE.
 */
export const isReaderGone = ({ code }: BrokenOutputError): boolean => code === "EPIPE" || code === "ECONNRESET"

/** Where output goes. */
export interface OutputWriter {
  /** Writes all the bytes; done when the system has taken them. One write at a time. */
  readonly write: (fd: OutputFd, bytes: Uint8Array) => Effect.Effect<void, BrokenOutputError>
}

/** The outputs of our own process, and whether somebody reads them. */
export class ProcessOutput implements OutputWriter {
  readonly #own: CliProcess
  /** Writes that ended. */
  written = 0
  /** Whether a write is under way. */
  pending = false

  constructor(own: CliProcess) {
    this.#own = own
  }

  readonly write = (fd: OutputFd, bytes: Uint8Array): Effect.Effect<void, BrokenOutputError> =>
    Effect.suspend(() => {
      if (bytes.length === 0) return Effect.void
      return Effect.flatMap(this.#writeSome(fd, bytes), (n) =>
        n < bytes.length ? this.write(fd, bytes.subarray(n)) : Effect.void)
    })

  #writeSome(fd: OutputFd, bytes: Uint8Array): Effect.Effect<number, BrokenOutputError> {
    return Effect.callback((resume) => {
      const ended = (next: Effect.Effect<number, BrokenOutputError>): void => {
        this.pending = false
        this.written++
        resume(next)
      }
      this.pending = true
      this.#own.write(fd, bytes).then(
        (n) => ended(Effect.succeed(n)),
        (error) => {
          const code = readErrorCode(error) ?? String(error)
          // Somebody who shares the pipe made it non-blocking: it is full, which is no failure.
          ended(code === "EAGAIN" ? Effect.as(Effect.sleep(5), 0) : Effect.fail(new BrokenOutputError(fd, code)))
        },
      )
    })
  }
}
