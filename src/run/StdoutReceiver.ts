/**
 * Receives the stdout of a command and keeps it, streams it or drops it.
 *
 * @module
 */
import { HeadTailBuffer } from "../shell/HeadTailBuffer.ts"
import type { ByteWriter } from "../shell/SpawnedProcess.ts"

/** Bytes that were kept. */
export interface Kept {
  readonly bytes: Uint8Array
  readonly bytesOmitted: number
}

const taken: Promise<boolean> = Promise.resolve(true)

/** Bytes that are read ahead for a reader who is slow, once the process has ended: more than any pipe holds. */
const maxAheadBytes = 1_048_576

/**
 * A pipe's writing end that is kept, streamed or dropped. While it is streamed a write is answered when the reader asks
 * for more: the bytes lie in a buffer that is used again. Once the process has ended, what is left in its pipe is read
 * ahead, so that its end does not depend on the reader.
 */
export class StdoutReceiver implements ByteWriter {
  readonly #budget: HeadTailBuffer
  #mode: "keep" | "stream" | "drop" = "keep"
  #queue: Array<Uint8Array> = []
  #queuedBytes = 0
  #offered: { readonly bytes: Uint8Array; readonly answer: (wanted: boolean) => void } | undefined
  #given: ((wanted: boolean) => void) | undefined
  #waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  #readsAhead = false
  #ended = false

  constructor(maxBytes: number) {
    this.#budget = new HeadTailBuffer(maxBytes)
  }

  readonly write = (bytes: Uint8Array): Promise<boolean> => {
    if (this.#mode === "keep") this.#budget.push(bytes)
    if (this.#mode !== "stream") return taken
    const waiting = this.#waiting
    if (waiting !== undefined) {
      return new Promise((answer) => {
        this.#waiting = undefined
        this.#given = answer
        waiting(bytes)
      })
    }
    if (this.#readsAhead && this.#queuedBytes < maxAheadBytes) {
      this.#enqueue(bytes)
      return taken
    }
    return new Promise((answer) => {
      this.#offered = { bytes, answer }
    })
  }

  readonly end = (): Promise<void> => {
    this.#ended = true
    this.#waiting?.(undefined)
    this.#waiting = undefined
    return Promise.resolve()
  }

  #enqueue(bytes: Uint8Array): void {
    this.#queue.push(bytes.slice())
    this.#queuedBytes += bytes.length
  }

  /** The process has ended. */
  processExited(): void {
    this.#readsAhead = true
    // Whoever was given these has used them: they were handed over in an earlier turn of the event loop.
    this.#given?.(true)
    this.#given = undefined
    const offered = this.#offered
    if (offered === undefined) return
    this.#offered = undefined
    this.#enqueue(offered.bytes)
    offered.answer(true)
  }

  /** Streams from here on; what was kept until now comes first. */
  stream(): void {
    const { bytes, bytesOmitted } = this.kept()
    if (bytesOmitted > 0) {
      throw new TypeError(
        "more was written than maxOutputBytes before it was read: read it earlier, or raise the limit",
      )
    }
    this.#mode = "stream"
    if (bytes.length > 0) this.#queue.push(bytes)
  }

  /** The next bytes, valid until the next call; `undefined` at the end. */
  read(): Promise<Uint8Array | undefined> {
    this.#given?.(true)
    this.#given = undefined
    const queued = this.#queue.shift()
    if (queued !== undefined) {
      this.#queuedBytes -= queued.length
      return Promise.resolve(queued)
    }
    const offered = this.#offered
    this.#offered = undefined
    if (offered !== undefined) {
      this.#given = offered.answer
      return Promise.resolve(offered.bytes)
    }
    if (this.#ended || this.#mode === "drop") return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  /** Takes what still comes and drops it, so that a command that is being ended is not stuck in a write. */
  drop(): void {
    this.#mode = "drop"
    this.#given?.(true)
    this.#offered?.answer(true)
    this.#given = this.#offered = undefined
    this.#queue = []
    this.#waiting?.(undefined)
    this.#waiting = undefined
  }

  /** What was kept, as bytes; nothing of what was streamed. */
  kept(): Kept {
    return this.#mode === "keep" ? this.#budget.takeBytes() : { bytes: new Uint8Array(0), bytesOmitted: 0 }
  }

  /** What was kept, as text; nothing of what was streamed. */
  text(encoding: string): { readonly text: string; readonly bytesOmitted: number } {
    return this.#mode === "keep" ? this.#budget.take(encoding) : { text: "", bytesOmitted: 0 }
  }
}
