/** Flow control: limits the output that a client has been sent and has not acknowledged. */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

interface SentPiece {
  readonly position: number
  readonly length: number
}

export class OutputCredit {
  readonly #max: number
  readonly #latch = Latch.makeUnsafe(true)
  readonly #sent: Array<SentPiece> = []
  #unacknowledged = 0
  #last: number

  /** `max`: output in UTF-16 units above which sending waits; `after`: the position that the client has already. */
  constructor(max: number, after = -1) {
    this.#max = max
    this.#last = after
  }

  /** Completes when more may be sent. */
  readonly wait: Effect.Effect<void> = Effect.suspend(() => this.#latch.await)

  /** Whether sending waits for the client. */
  get isExhausted(): boolean {
    return !this.#latch.isOpen()
  }

  sent(position: number, length: number): void {
    this.#last = position
    this.#sent.push({ position, length })
    this.#unacknowledged += length
    if (this.#unacknowledged > this.#max) this.#latch.closeUnsafe()
  }

  /** Takes an acknowledgement of everything up to a position; returns `false` for one that was not sent yet. */
  acknowledge(position: number): boolean {
    if (position > this.#last) return false
    let done = 0
    for (; (this.#sent[done]?.position ?? Infinity) <= position; done++) {
      this.#unacknowledged -= this.#sent[done]?.length ?? 0
    }
    this.#sent.splice(0, done)
    if (this.#unacknowledged <= this.#max) this.#latch.openUnsafe()
    return true
  }
}
