/**
 * Hands bytes from requests to the stdin of a running command, one piece at a time.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { onAbort } from "../base/abort.ts"

/** Outcome of a write: the command read the bytes, or it reads no more. */
export type WriteOutcome = "taken" | "closed"

interface PendingWrite {
  readonly bytes: Uint8Array
  readonly answer: (taken: WriteOutcome) => void
}

/** Maximum of requests that wait for their turn. */
const maxWaiting = 16

/** A rendezvous between requests and the stdin of a command: a write resolves when the command has read the bytes. */
export class InputChannel {
  /** Bytes that the command has read since it started. */
  taken = 0
  #offer: PendingWrite | undefined
  /** The write that was pulled last. The next pull confirms that it reached the command. */
  #handed: PendingWrite | undefined
  #resume: ((next: Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done>) => void) | undefined
  #ended = false
  #closed = false
  #turns: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** The stdin of the command. */
  readonly stream: Stream.Stream<Uint8Array> = Stream.ensuring(
    Stream.fromPull(Effect.sync((): Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>> => this.#pull)),
    Effect.sync(() => this.close()),
  )

  readonly #pull: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>> = Effect.suspend(() => {
    this.#confirm()
    if (this.#offer !== undefined) return Effect.succeed(this.#hand(this.#offer))
    if (this.#ended) return Cause.done()
    return Effect.callback<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done>((resume) => {
      this.#resume = resume
      return Effect.sync(() => {
        this.#resume = undefined
      })
    })
  })

  /** Whether the command can still be fed. */
  get isOpen(): boolean {
    return !this.#ended && !this.#closed
  }

  /** Whether the maximum of requests waits. */
  get isCrowded(): boolean {
    return this.#waiting >= maxWaiting
  }

  /** Runs `feed` when the requests before it are done: one request feeds the command at a time, in order of arrival. */
  async inTurn<A>(feed: () => Promise<A>): Promise<A> {
    this.#waiting++
    const turn = this.#turns.then(feed)
    this.#turns = turn.catch(() => {})
    try {
      return await turn
    } finally {
      this.#waiting--
    }
  }

  /**
   * Writes bytes and resolves when the command has read them. Aborting `signal` withdraws bytes that were not pulled
   * yet.
   */
  write(bytes: Uint8Array, signal: AbortSignal): Promise<WriteOutcome> {
    if (!this.isOpen || signal.aborted) return Promise.resolve("closed")
    return new Promise((resolve) => {
      const withdraw = (): void => {
        if (this.#offer === offer) this.#answer(offer, "closed")
      }
      const offer: PendingWrite = {
        bytes,
        answer: (taken) => {
          removeListener()
          resolve(taken)
        },
      }
      const removeListener = onAbort(signal, withdraw)
      this.#offer = offer
      const resume = this.#resume
      this.#resume = undefined
      resume?.(Effect.sync(() => this.#hand(offer)))
    })
  }

  /** Closes stdin after the bytes that were written. */
  end(): void {
    this.#ended = true
    const resume = this.#resume
    this.#resume = undefined
    resume?.(Cause.done())
  }

  /** Rejects pending and later writes: the command reads no more. */
  close(): void {
    this.#closed = true
    for (const offer of [this.#handed, this.#offer]) {
      if (offer !== undefined) this.#answer(offer, "closed")
    }
  }

  #hand(offer: PendingWrite): Arr.NonEmptyReadonlyArray<Uint8Array> {
    this.#offer = undefined
    this.#handed = offer
    return Arr.of(offer.bytes)
  }

  #confirm(): void {
    const handed = this.#handed
    if (handed === undefined) return
    this.taken += handed.bytes.length
    this.#answer(handed, "taken")
  }

  #answer(offer: PendingWrite, taken: WriteOutcome): void {
    if (this.#offer === offer) this.#offer = undefined
    if (this.#handed === offer) this.#handed = undefined
    offer.answer(taken)
  }
}
