/** Connects a writer to a Stream without a buffer: each write waits until the reader has taken its bytes. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { callbackLater } from "../base/waits.ts"
import type { ByteWriter } from "./SpawnedProcess.ts"

/**
 * Connects a writer to a stream. A write resolves when the reader pulls again, so that the bytes may be in a reused buffer;
 * with `false` when the stream has been closed. It has room for one write: another before the stream took it rejects, as it
 * would replace the first.
 */
export class RendezvousPipe implements ByteWriter {
  #offered: { readonly bytes: Uint8Array; readonly answer: (wanted: boolean) => void } | undefined
  #taken: ((wanted: boolean) => void) | undefined
  #waiting: ((next: Effect.Effect<Uint8Array, Cause.Done>) => void) | undefined
  #ended = false
  #closed = false

  readonly write = (bytes: Uint8Array): Promise<boolean> =>
    new Promise((answer, reject) => {
      if (this.#closed) return answer(false)
      if (this.#offered !== undefined) return reject(new Error("a write began before the one before it was taken"))
      this.#offered = { bytes, answer }
      this.#deliver()
    })

  readonly end = (): Promise<void> => {
    this.#ended = true
    this.#deliver()
    return Promise.resolve()
  }

  #deliver(): void {
    const resume = this.#waiting
    if (resume === undefined) return
    const next = this.#take()
    if (next === undefined) return
    this.#waiting = undefined
    resume(next)
  }

  #take(): Effect.Effect<Uint8Array, Cause.Done> | undefined {
    const offered = this.#offered
    if (offered === undefined) return this.#ended ? Cause.done() : undefined
    this.#offered = undefined
    this.#taken = offered.answer
    return Effect.succeed(offered.bytes)
  }

  readonly #next: Effect.Effect<Uint8Array, Cause.Done> = Effect.suspend(() => {
    this.#taken?.(true)
    this.#taken = undefined
    return this.#take() ?? callbackLater<Uint8Array, Cause.Done>((resume) => {
      this.#waiting = resume
      return Effect.sync(() => {
        this.#waiting = undefined
      })
    })
  })

  /** Closes the reading end: the pending write and all later ones resolve with `false`. */
  readonly close = (): void => {
    this.#closed = true
    this.#taken?.(false)
    this.#offered?.answer(false)
    this.#taken = this.#offered = undefined
  }

  /** Takes a pending write back, if the reader has not pulled it; the write returns `false`. */
  readonly withdraw = (): void => {
    this.#offered?.answer(false)
    this.#offered = undefined
  }

  /** The written bytes. To be run once. */
  readonly stream: Stream.Stream<Uint8Array> = Stream.ensuring(
    Stream.fromEffectRepeat(this.#next),
    Effect.sync(this.close),
  )
}
