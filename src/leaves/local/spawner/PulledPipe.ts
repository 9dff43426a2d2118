/** Reads an output pipe on demand; without a reader, reads ahead up to a limit, discards or closes it. */
import type { ByteReader } from "../../../shell/SpawnedProcess.ts"

export interface OutputPipeOptions {
  /** The error that broke the pipe, if any. */
  readonly failure?: (() => unknown) | undefined
  /** Whether the reader's bytes remain valid for good once they are kept. Default: `false`. */
  readonly givesBuffers?: boolean | undefined
}

type Done = (bytes: Uint8Array | undefined) => void

/**
 * One output pipe. It is read on demand only, so a full pipe blocks the process. Requests are served in order; bytes that
 * arrive for a cancelled request are kept for the next one.
 */
export class PulledPipe {
  readonly #reader: ByteReader
  readonly #failure: () => unknown
  readonly #givesBuffers: boolean
  readonly #waiting: Array<Done> = []
  #held: Array<Uint8Array> = []
  #heldBytes = 0
  #room = 0
  #attached = 0
  #reading = false
  #ended = false
  #discarding = false
  #abandoned = false

  constructor(reader: ByteReader, { failure = () => undefined, givesBuffers = false }: OutputPipeOptions = {}) {
    this.#reader = reader
    this.#failure = failure
    this.#givesBuffers = givesBuffers
  }

  /** The error that broke the pipe, if any. */
  get failure(): unknown {
    return this.#failure()
  }

  /** Registers a reader. */
  attach(): void {
    this.#attached++
    this.#room = 0
  }

  /** Unregisters a reader. */
  detach(): void {
    this.#attached--
    if (this.#abandoned) this.abandon()
  }

  /**
   * Requests the next bytes, which the caller may keep; `undefined` at the end. Returns a function that cancels the request.
   */
  take(done: Done): () => void {
    const bytes = this.#held.shift()
    if (bytes !== undefined) {
      this.#heldBytes -= bytes.length
      done(bytes)
    } else if (this.#ended) {
      done(undefined)
    } else {
      this.#waiting.push(done)
      this.#read()
    }
    return () => {
      const index = this.#waiting.indexOf(done)
      if (index >= 0) this.#waiting.splice(index, 1)
    }
  }

  /** Reads ahead up to a number of bytes without a reader, so that a process that writes a little more can end. */
  makeRoom(bytes: number): void {
    if (this.#attached > 0) return
    this.#room = bytes
    this.#read()
  }

  /** Reads and discards output without a reader, so that the process can end. */
  discard(): void {
    if (this.#attached > 0) return
    this.#held = []
    this.#heldBytes = 0
    this.#discarding = true
    this.#read()
  }

  /** Releases the pipe as soon as it has no reader. */
  abandon(): void {
    this.#abandoned = true
    if (this.#attached === 0) this.release()
  }

  /** Closes the pipe; later writes of the process fail. */
  release(): void {
    if (this.#ended) return
    this.#reader.release()
    this.#end()
  }

  #end(): void {
    this.#ended = true
    for (const done of this.#waiting.splice(0)) done(undefined)
  }

  #wanted(): boolean {
    return this.#waiting.length > 0 || this.#discarding || this.#heldBytes < this.#room
  }

  #read(): void {
    if (this.#reading) return
    this.#reading = true
    while (!this.#ended && this.#wanted()) {
      let now = true
      let came = false
      this.#reader.read((bytes) => {
        this.#deliver(bytes)
        came = true
        if (now) return
        this.#reading = false
        this.#read()
      })
      now = false
      if (!came) return
    }
    this.#reading = false
  }

  #deliver(bytes: Uint8Array | undefined): void {
    if (this.#ended) return
    if (bytes === undefined) return this.#end()
    const done = this.#waiting.shift()
    if (done === undefined && this.#discarding) return
    if (this.#givesBuffers) this.#reader.keep?.()
    const own = this.#givesBuffers ? bytes : new Uint8Array(bytes)
    if (done !== undefined) return done(own)
    this.#held.push(own)
    this.#heldBytes += own.length
  }
}
