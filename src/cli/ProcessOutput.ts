/** Writes bytes to the program's stdout and stderr with back-pressure, and counts writes so that stalls show. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../base/waits.ts"
import { readErrorCode } from "../base/readErrorCode.ts"
import type { CliProcess, OutputFd } from "./CliProcess.ts"

/** A failed write to an output; `code` is the system's, such as `EPIPE` when the reader has closed the pipe. */
export class BrokenOutputError extends Error {
  readonly _tag = "BrokenOutputError" as const
  readonly fd: OutputFd
  readonly code: string

  constructor(fd: OutputFd, code: string) {
    super(`${fd === 1 ? "stdout" : "stderr"} could not be written (${code})`)
    this.fd = fd
    this.code = code
  }
}

/**
 * Whether the reader of an output has closed it. Node and Bun give their children sockets as stdout, which report ECONNRESET
 * instead of EPIPE when they were closed with unread bytes.
 */
export const isReaderGone = ({ code }: BrokenOutputError): boolean => code === "EPIPE" || code === "ECONNRESET"

export interface OutputWriter {
  /** Writes all bytes; succeeds when the system has taken them. One write at a time. */
  readonly write: (fd: OutputFd, bytes: Uint8Array) => Effect.Effect<void, BrokenOutputError>
}

/** Writes to the outputs of this process, and counts writes so that stalled readers are detected. */
export class ProcessOutput implements OutputWriter {
  readonly #cli: CliProcess
  written = 0
  pending = false

  constructor(cli: CliProcess) {
    this.#cli = cli
  }

  readonly write = (fd: OutputFd, bytes: Uint8Array): Effect.Effect<void, BrokenOutputError> =>
    Effect.suspend(() => {
      if (bytes.length === 0) return Effect.void
      return Effect.flatMap(this.#writeSome(fd, bytes), (n) =>
        n < bytes.length ? this.write(fd, bytes.subarray(n)) : Effect.void)
    })

  #writeSome(fd: OutputFd, bytes: Uint8Array): Effect.Effect<number, BrokenOutputError> {
    return callbackLater((resume) => {
      const ended = (next: Effect.Effect<number, BrokenOutputError>): void => {
        this.pending = false
        this.written++
        resume(next)
      }
      this.pending = true
      this.#cli.write(fd, bytes).then(
        (n) => ended(Effect.succeed(n)),
        (error) => {
          const code = readErrorCode(error) ?? String(error)
          // Another process that shares the pipe made it non-blocking: the pipe is full, which is not a failure.
          ended(code === "EAGAIN" ? Effect.as(Effect.sleep(5), 0) : Effect.fail(new BrokenOutputError(fd, code)))
        },
      )
    })
  }
}
