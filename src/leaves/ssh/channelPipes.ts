/** Reads and writes a channel as the pipes of a process. */
import type { Readable } from "node:stream"
import type { ClientChannel } from "ssh2"
import type { ByteReader, ByteWriter } from "../../shell/SpawnedProcess.ts"

/** Reads a stream as it is pulled. Bytes that were read too early can be pushed back. */
export class StreamReader implements ByteReader {
  readonly #stream: Readable
  #waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  #returned: Uint8Array | undefined
  #ended = false

  constructor(stream: Readable) {
    this.#stream = stream
    const end = (): void => {
      if (stream.readableLength > 0 && !this.#ended) return
      this.#ended = true
      this.#take()?.(undefined)
    }
    stream.on("readable", () => {
      if (this.#waiting === undefined) return
      const bytes = this.#next()
      if (bytes !== undefined) this.#take()?.(bytes)
    })
    stream.on("end", end)
    stream.on("close", end)
    stream.on("error", end)
  }

  readonly read = (done: (bytes: Uint8Array | undefined) => void): void => {
    const bytes = this.#next()
    if (bytes !== undefined) return done(bytes)
    if (this.#ended || this.#stream.readableEnded || this.#stream.destroyed) return done(undefined)
    this.#waiting = done
  }

  /** Ends the stream for its reader and drops what still arrives. */
  readonly release = (): void => {
    if (!this.#ended) {
      this.#ended = true
      this.#stream.on("data", () => {})
      this.#stream.resume()
    }
    this.#returned = undefined
    this.#take()?.(undefined)
  }

  /** Gives bytes back, for the next read. */
  giveBack(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#returned = bytes
  }

  #take(): ((bytes: Uint8Array | undefined) => void) | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting
  }

  #next(): Uint8Array | undefined {
    const returned = this.#returned
    if (returned !== undefined) {
      this.#returned = undefined
      return returned
    }
    if (this.#ended) return undefined
    const bytes: unknown = this.#stream.read()
    return bytes instanceof Uint8Array && bytes.length > 0 ? bytes : undefined
  }
}

/** Writes a channel: the next write waits until the window of the server has room. */
export class ChannelWriter implements ByteWriter {
  readonly #channel: ClientChannel
  readonly #pending = new Set<() => void>()
  #isGone = false

  constructor(channel: ClientChannel) {
    this.#channel = channel
    channel.on("close", () => this.abandon())
    channel.on("error", () => this.abandon())
  }

  readonly write = (bytes: Uint8Array): Promise<boolean> =>
    new Promise((resolve) => {
      if (this.#isGone || !this.#channel.writable) return resolve(false)
      const gone = (): void => resolve(false)
      this.#pending.add(gone)
      // Copied, because ssh2 keeps the buffer until it is sent.
      this.#channel.write(bytes.slice(), (error) => {
        this.#pending.delete(gone)
        resolve(error === undefined || error === null)
      })
    })

  readonly end = (): Promise<void> => {
    if (!this.#isGone && this.#channel.writable) this.#channel.end()
    return Promise.resolve()
  }

  /** The reader is gone: ends the waiting writes. */
  abandon(): void {
    this.#isGone = true
    for (const gone of this.#pending) gone()
    this.#pending.clear()
  }
}
