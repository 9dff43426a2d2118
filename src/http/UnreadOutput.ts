/** Tracks output that a reader has not acknowledged yet; its producer waits while there is too much. */
import { Latch } from "../base/waits.ts"

export class UnreadOutput {
  /** Open while the unread output is within the limit. */
  readonly latch: Latch = new Latch(true)
  readonly #max: number
  readonly #pieces: Array<{ readonly position: number; readonly length: number }> = []
  #length = 0
  #isReleased = false

  /** `max`: output in UTF-16 code units. */
  constructor(max: number) {
    this.#max = max
  }

  add(position: number, length: number): void {
    this.#pieces.push({ position, length })
    this.#length += length
    if (this.#length > this.#max && !this.#isReleased) this.latch.close()
  }

  /** Takes an acknowledgement of everything up to a position. */
  reach(position: number): void {
    let read = 0
    for (; (this.#pieces[read]?.position ?? Infinity) <= position; read++) {
      this.#length -= this.#pieces[read]?.length ?? 0
    }
    this.#pieces.splice(0, read)
    if (this.#length <= this.#max) this.latch.open()
  }

  /** Lets the producer go on for good. */
  release(): void {
    this.#isReleased = true
    this.latch.open()
  }
}
