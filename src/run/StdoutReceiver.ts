/** Receives the stdout, or a copied stderr, of a command and collects it, streams it or drops it. */
import type { KeptOutput } from "../shell/HeadTailBuffer.ts"
import type { ByteWriter } from "../shell/SpawnedProcess.ts"
import { TextBuffer } from "../shell/TextBuffer.ts"

export interface KeptStdout {
  readonly bytes: Uint8Array
  readonly bytesOmitted: number
}

const taken: Promise<boolean> = Promise.resolve(true)

/**
 * Maximum number of bytes that are read ahead for a slow reader once the process has ended: more than any pipe holds.
 */
const maxAheadBytes = 1_048_576

/** Takes bytes over: keeps their buffer if they fill most of it, else copies them. */
const ownBytes = (bytes: Uint8Array, keep: (() => void) | undefined): Uint8Array => {
  if (keep === undefined || bytes.length * 2 < bytes.buffer.byteLength) return bytes.slice()
  keep()
  return bytes
}

/**
 * The writing end of stdout. While output is streamed, a write resolves when the reader asks for more, since the buffer
 * of the bytes is reused; a reader that owns its bytes lets one more read begin. Once the process has ended, the rest
 * of its pipe is read ahead, so that the end of the run does not depend on the reader.
 */
export class StdoutReceiver implements ByteWriter {
  readonly #budget: TextBuffer
  #mode: "keep" | "stream" | "drop" = "keep"
  #queue: Array<Uint8Array> = []
  #queuedBytes = 0
  #offered: { readonly bytes: Uint8Array; readonly answer: (wanted: boolean) => void } | undefined
  #given: ((wanted: boolean) => void) | undefined
  #waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  #owns = false
  #readsAhead = false
  #ended = false

  /** `encoding` names the encoding of the kept text. */
  constructor(maxBytes: number, encoding: string) {
    this.#budget = new TextBuffer(maxBytes, encoding)
  }

  readonly write = (piece: Uint8Array, keep?: () => void): Promise<boolean> => {
    if (this.#mode === "keep") this.#budget.push(piece)
    if (this.#mode !== "stream") return taken
    const bytes = this.#owns ? ownBytes(piece, keep) : piece
    const waiting = this.#waiting
    if (waiting !== undefined && this.#owns) {
      this.#waiting = undefined
      waiting(bytes)
      return taken
    }
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
    this.#queue.push(this.#owns ? bytes : bytes.slice())
    this.#queuedBytes += bytes.length
  }

  /** Starts to read ahead: the process has ended. */
  processExited(): void {
    this.#readsAhead = true
    // The reader has finished with these bytes, which it got in an earlier turn of the event loop.
    this.#given?.(true)
    this.#given = undefined
    const offered = this.#offered
    if (offered === undefined) return
    this.#offered = undefined
    this.#enqueue(offered.bytes)
    offered.answer(true)
  }

  /**
   * Streams from now on; the bytes that were kept so far come first. `owns`: the reader gets bytes that stay valid. Returns
   * the number of bytes that were left out already: if there are any, it goes on keeping.
   */
  stream(owns: boolean): number {
    const { bytes, bytesOmitted } = this.kept()
    if (bytesOmitted > 0) return bytesOmitted
    this.#mode = "stream"
    this.#owns = owns
    if (bytes.length > 0) {
      this.#queue.push(bytes)
      this.#queuedBytes += bytes.length
    }
    return 0
  }

  /** Resolves with the next bytes, valid until the next call unless the reader owns them; with `undefined` at the end. */
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

  /** Drops all further output, so that a command that is being ended is not stuck in a write. */
  drop(): void {
    this.#mode = "drop"
    this.#given?.(true)
    this.#offered?.answer(true)
    this.#given = this.#offered = undefined
    this.#queue = []
    this.#waiting?.(undefined)
    this.#waiting = undefined
  }

  /** The kept bytes; none if the output is streamed. */
  kept(): KeptStdout {
    return this.#mode === "keep" ? this.#budget.takeBytes() : { bytes: new Uint8Array(0), bytesOmitted: 0 }
  }

  /** The kept text; empty if the output is streamed. */
  text(): KeptOutput {
    return this.#mode === "keep" ? this.#budget.take() : { text: "", bytesOmitted: 0 }
  }
}
