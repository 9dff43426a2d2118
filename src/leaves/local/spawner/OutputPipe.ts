/**
 * A pipe that a process writes to, read when somebody pulls.
 *
 * @module
 */
import type { ByteReader } from "../../../shell/SpawnedProcess.ts"

/** What is known of a pipe beside its reader. */
export interface OutputPipeOptions {
  /** What broke it, if anything did. */
  readonly failure?: (() => unknown) | undefined
  /** Whether the reader's bytes stay what they are after the next read. Default: `false`. */
  readonly givesBuffers?: boolean | undefined
}

type Done = (bytes: Uint8Array | undefined) => void

/**
 * One output pipe. Nothing is read from it while nobody asks, so a full pipe holds the process back. Whoever asks
 * first gets the next bytes; what arrives for somebody who went away meanwhile is kept for the next.
 */
export class OutputPipe {
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

  /** What broke the pipe, if anything did. */
  get failure(): unknown {
    return this.#failure()
  }

  /** Somebody begins to read. */
  attach(): void {
    this.#attached++
    this.#room = 0
  }

  /** Somebody reads no longer. */
  detach(): void {
    this.#attached--
    if (this.#abandoned) this.abandon()
  }

  /** Asks for the next bytes, which are the asker's own; `undefined` at the end. The result takes the question back. */
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

  /** Reads ahead up to so many bytes if nobody is there to read, so that a process which writes a little more can end. */
  makeRoom(bytes: number): void {
    if (this.#attached > 0) return
    this.#room = bytes
    this.#read()
  }

  /** Reads and drops what nobody reads, so that a process which writes its last words can end. */
  discard(): void {
    if (this.#attached > 0) return
    this.#held = []
    this.#heldBytes = 0
    this.#discarding = true
    this.#read()
  }

  /** Lets the pipe go as soon as nobody reads it. */
  abandon(): void {
    this.#abandoned = true
    if (this.#attached === 0) this.release()
  }

  /** Closes the pipe: whoever writes to it is told so. */
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
    const own = this.#givesBuffers ? bytes : new Uint8Array(bytes)
    if (done !== undefined) return done(own)
    this.#held.push(own)
    this.#heldBytes += own.length
  }
}
