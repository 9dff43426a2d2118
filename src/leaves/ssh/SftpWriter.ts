/** Writes an SFTP file with several requests at once; after a lost connection sends unconfirmed blocks again. */
import * as Effect from "effect/Effect"
import type { BackendError } from "../files/FileBackend.ts"
import { lostSessionCode } from "./SftpSession.ts"

/** A file that is open for writing on one session. */
export interface WriteHandle {
  readonly write: (bytes: Uint8Array, offset: number) => Effect.Effect<void, BackendError>
}

/** Bytes of one request. */
const blockBytes = 32_768
/** Maximum number of unconfirmed bytes. */
const maxPendingBytes = 2_097_152
/** Maximum number of connections that one write may lose. */
const maxLosses = 10

interface Block {
  readonly offset: number
  readonly bytes: Uint8Array
}

/**
 * Writes after the bytes written so far. `handle` is the file on the current session; `reopen` opens it again, and is
 * missing where resent bytes would be written twice.
 */
export class SftpWriter<Handle extends WriteHandle> {
  #handle: Handle
  readonly #reopen: Effect.Effect<Handle, BackendError> | undefined
  #offset = 0
  #pending: Array<Block> = []
  #pendingBytes = 0
  #losses = 0

  constructor(handle: Handle, reopen: Effect.Effect<Handle, BackendError> | undefined) {
    this.#handle = handle
    this.#reopen = reopen
  }

  /** The file on the current session. */
  get handle(): Handle {
    return this.#handle
  }

  /** Offset of the next byte. */
  get offset(): number {
    return this.#offset
  }

  /** Takes bytes, which are copied; sends them when there are many. */
  write(bytes: Uint8Array): Effect.Effect<void, BackendError> {
    return Effect.suspend(() => {
      for (let at = 0; at < bytes.length; at += blockBytes) {
        const block = bytes.slice(at, at + blockBytes)
        this.#pending.push({ offset: this.#offset, bytes: block })
        this.#offset += block.length
      }
      this.#pendingBytes += bytes.length
      return this.#pendingBytes < maxPendingBytes ? Effect.void : this.flush
    })
  }

  /** Waits until the server has confirmed all bytes. */
  readonly flush: Effect.Effect<void, BackendError> = Effect.suspend(() => {
    const blocks = this.#pending
    const send = Effect.forEach(blocks, ({ bytes, offset }) => this.#handle.write(bytes, offset), {
      concurrency: 64,
      discard: true,
    })
    const done = Effect.sync(() => {
      this.#pending = []
      this.#pendingBytes = 0
    })
    return this.resuming(Effect.andThen(send, done))
  })

  /** Runs a step; after a lost connection reopens the file and runs the step once more. */
  resuming<A>(step: Effect.Effect<A, BackendError>): Effect.Effect<A, BackendError> {
    const reopen = this.#reopen
    return reopen === undefined ? step : Effect.catchIf(
      step,
      ({ code }) => code === lostSessionCode && this.#losses < maxLosses,
      () =>
        Effect.andThen(
          Effect.map(Effect.retry(reopen, { while: ({ code }) => code === lostSessionCode, times: 3 }), (handle) => {
            this.#losses++
            this.#handle = handle
          }),
          this.resuming(step),
        ),
    )
  }
}
