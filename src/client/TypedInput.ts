/** Buffers the input of a terminal's client, across connections, until the command has taken it. */
import { maxInputBytes } from "../wire/terminalMessages.ts"

/** Maximum number of sent bytes that a command has not taken; a server closes the connection at twice as many. */
const maxUntaken = 524_288

export class TypedInput {
  #sent: Array<Uint8Array> = []
  #unsent: Array<Uint8Array> = []
  #sentBytes = 0
  #unsentBytes = 0
  #taken = 0

  /** Bytes that were typed and are not known to be taken. */
  get waiting(): number {
    return this.#sentBytes + this.#unsentBytes
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#unsent.push(bytes)
    this.#unsentBytes += bytes.length
  }

  /**
   * Returns the next message, if the window has room. Without `isCounted` there is no window, and nothing is resent.
   */
  next(isCounted: boolean): Uint8Array | undefined {
    const room = isCounted ? maxUntaken - this.#sentBytes : maxInputBytes
    const size = Math.min(maxInputBytes, this.#unsentBytes, room)
    if (size <= 0) return undefined
    const message = new Uint8Array(size)
    for (let at = 0; at < size;) {
      const first = this.#unsent.shift() ?? new Uint8Array()
      const part = first.subarray(0, size - at)
      message.set(part, at)
      at += part.length
      if (part.length < first.length) this.#unsent.unshift(first.subarray(part.length))
    }
    this.#unsentBytes -= size
    if (isCounted) {
      this.#sent.push(message)
      this.#sentBytes += size
    }
    return message
  }

  /** Takes the server's count of taken bytes; `isFirst`: on a new connection. Returns the bytes that may be lost. */
  taken(count: number, isFirst: boolean): number {
    let done = count - this.#taken
    this.#taken = count
    if (done < 0 || done > this.#sentBytes) return this.clear()
    this.#sentBytes -= done
    for (let first = this.#sent[0]; first !== undefined && done > 0; first = this.#sent[0]) {
      if (first.length > done) this.#sent[0] = first.subarray(done)
      else this.#sent.shift()
      done -= first.length
    }
    if (isFirst) {
      this.#unsent = [...this.#sent, ...this.#unsent]
      this.#unsentBytes += this.#sentBytes
      this.#sent = []
      this.#sentBytes = 0
    }
    return 0
  }

  /** Drops everything; returns the number of dropped bytes. */
  clear(): number {
    const dropped = this.waiting
    this.#sent = []
    this.#unsent = []
    this.#sentBytes = this.#unsentBytes = 0
    return dropped
  }
}
