/**
 * A command's stdout on its way to whoever takes it: kept until the end, or handed on piece by piece.
 *
 * @module
 */
import { OutputBudget } from "../shell/OutputBudget.ts"
import type { ByteWriter } from "../shell/Spawned.ts"

/** Bytes that were kept. */
export interface Kept {
  readonly bytes: Uint8Array
  readonly bytesOmitted: number
}

const taken: Promise<boolean> = Promise.resolve(true)

/**
 * A pipe's writing end that is kept, streamed or dropped. While it is streamed a write is answered when the reader asks
 * for more: the bytes lie in a buffer that is used again.
 */
export class StdoutHub implements ByteWriter {
  readonly #budget: OutputBudget
  #mode: "keep" | "stream" | "drop" = "keep"
  #offered: { readonly bytes: Uint8Array; readonly answer: (wanted: boolean) => void } | undefined
  #given: ((wanted: boolean) => void) | undefined
  #waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  #backlog: Uint8Array | undefined
  #ended = false

  constructor(maxBytes: number) {
    this.#budget = new OutputBudget(maxBytes)
  }

  readonly write = (bytes: Uint8Array): Promise<boolean> => {
    if (this.#mode === "keep") this.#budget.push(bytes)
    if (this.#mode !== "stream") return taken
    return new Promise((answer) => {
      const waiting = this.#waiting
      if (waiting === undefined) {
        this.#offered = { bytes, answer }
        return
      }
      this.#waiting = undefined
      this.#given = answer
      waiting(bytes)
    })
  }

  readonly end = (): Promise<void> => {
    this.#ended = true
    this.#waiting?.(undefined)
    this.#waiting = undefined
    return Promise.resolve()
  }

  /** Streams from here on; what was kept until now comes first. */
  stream(): void {
    this.#mode = "stream"
    const { bytes, bytesOmitted } = this.kept()
    if (bytesOmitted > 0) {
      throw new TypeError("more was written than maxOutputBytes before it was read: read it earlier, or raise the limit")
    }
    if (bytes.length > 0) this.#backlog = bytes
  }

  /** The next bytes, valid until the next call; `undefined` at the end. */
  read(): Promise<Uint8Array | undefined> {
    this.#given?.(true)
    this.#given = undefined
    const backlog = this.#backlog
    this.#backlog = undefined
    if (backlog !== undefined) return Promise.resolve(backlog)
    const offered = this.#offered
    this.#offered = undefined
    if (offered !== undefined) {
      this.#given = offered.answer
      return Promise.resolve(offered.bytes)
    }
    if (this.#ended) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  /** Takes what still comes and drops it, so that a command that is being ended is not stuck in a write. */
  drop(): void {
    this.#mode = "drop"
    this.#given?.(true)
    this.#offered?.answer(true)
    this.#given = this.#offered = this.#backlog = undefined
    this.#waiting?.(undefined)
    this.#waiting = undefined
  }

  /** What was kept, as bytes. */
  kept(): Kept {
    return this.#budget.takeBytes()
  }

  /** What was kept, as text. */
  text(encoding: string): { readonly text: string; readonly bytesOmitted: number } {
    return this.#budget.take(encoding)
  }
}
