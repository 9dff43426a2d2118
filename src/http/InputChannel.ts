/**
 * The stdin of a running command, fed by requests.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

/** What became of some bytes: the command took them, or it reads no more. */
export type WriteOutcome = "taken" | "closed"

interface PendingWrite {
  readonly bytes: Uint8Array
  readonly answer: (taken: WriteOutcome) => void
}

/** Requests that may wait for their turn. */
const maxWaiting = 16

/**
 * Hands bytes to a command as it reads them. At most one piece is in hand: whoever offers the next one waits until the
 * command has taken it.
 */
export class InputChannel {
  /** Bytes that were taken since the command began. */
  taken = 0
  #offer: PendingWrite | undefined
  /** What was handed over last, and may not have been written yet: the next pull says that it was. */
  #handed: PendingWrite | undefined
  #resume: ((next: Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done>) => void) | undefined
  #ended = false
  #closed = false
  #turns: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** What the command reads. */
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

  /** Whether the command may still read something. */
  get isOpen(): boolean {
    return !this.#ended && !this.#closed
  }

  /** Whether as many wait for their turn as may. */
  get isCrowded(): boolean {
    return this.#waiting >= maxWaiting
  }

  /** Does something while nobody else feeds the command: one after the other, in the order in which they came. */
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

  /** Offers bytes, and waits until they were taken. What was not handed over when `signal` aborts is taken back. */
  write(bytes: Uint8Array, signal: AbortSignal): Promise<WriteOutcome> {
    if (!this.isOpen || signal.aborted) return Promise.resolve("closed")
    return new Promise((resolve) => {
      const withdraw = (): void => {
        if (this.#offer === offer) this.#answer(offer, "closed")
      }
      const offer: PendingWrite = {
        bytes,
        answer: (taken) => {
          signal.removeEventListener("abort", withdraw)
          resolve(taken)
        },
      }
      signal.addEventListener("abort", withdraw)
      this.#offer = offer
      const resume = this.#resume
      this.#resume = undefined
      resume?.(Effect.sync(() => this.#hand(offer)))
    })
  }

  /** Nothing more comes: the command reads what there is, and then its end. */
  end(): void {
    this.#ended = true
    const resume = this.#resume
    this.#resume = undefined
    resume?.(Cause.done())
  }

  /** The command reads no more. */
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
