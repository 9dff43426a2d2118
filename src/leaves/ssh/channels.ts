/** Opens channels of a connection, and reads and writes them as the pipes of a process. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../../base/waits.ts"
import type { Readable } from "node:stream"
import type { ClientChannel, ExecOptions } from "ssh2"
import { concatBytes, emptyBytes } from "../../base/bytes.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import type { ByteReader, ByteWriter } from "../../shell/SpawnedProcess.ts"
import { pause } from "../../host/waitRealTime.ts"
import { answeredWithin } from "./answeredWithin.ts"
import type { SshLink } from "./SshConnection.ts"

/** A channel that the server did not open. `isFull`: it has as many as it permits. */
export class ChannelError {
  readonly _tag = "ChannelError"
  readonly isFull: boolean
  readonly what: string

  constructor(isFull: boolean, what: string) {
    this.isFull = isFull
    this.what = what
  }
}

const openOnce = (link: SshLink, line: string, options: ExecOptions): Effect.Effect<ClientChannel, ChannelError> =>
  callbackLater((resume) => {
    if (link.isLost()) return resume(Effect.fail(new ChannelError(false, "the connection is lost")))
    const forget = link.onLost(() => resume(Effect.fail(new ChannelError(false, "the connection is lost"))))
    let isWanted = true
    try {
      link.client.exec(line, options, (error, channel) => {
        forget()
        if (error !== undefined) {
          // RFC 4254, 5.1: OpenSSH has 10 sessions for a connection (MaxSessions), and then says only that the open failed.
          const isFull = "reason" in error || /open fail/i.test(error.message)
          return resume(Effect.fail(new ChannelError(isFull, errorMessage(error))))
        }
        if (isWanted) return resume(Effect.succeed(channel))
        channel.resume()
        channel.close()
      })
    } catch {
      // ssh2 throws if the connection has ended without an event yet.
      forget()
      link.drop()
      resume(Effect.fail(new ChannelError(false, "the connection is lost")))
    }
    return Effect.sync(() => {
      isWanted = false
      forget()
    })
  })

/** Pause after which a refused channel is tried again: others of this connection may have been closed by then. */
const pauseMillis = 50

/**
 * Opens a channel that runs a line. It tries again while the server refuses for lack of channels: without limit while
 * `hasOthers()`, otherwise for `millis`, which also bounds each answer.
 */
export const openChannel = (
  link: SshLink,
  line: string,
  options: ExecOptions,
  millis: number,
  hasOthers: () => boolean,
): Effect.Effect<ClientChannel, ChannelError> =>
  Effect.suspend(() => {
    const deadline = performance.now() + millis
    const answered = Effect.flatMap(
      answeredWithin(openOnce(link, line, options), millis),
      (channel) =>
        channel === undefined
          ? Effect.fail(new ChannelError(false, `it did not open a session within ${millis} ms`))
          : Effect.succeed(channel),
    )
    const open: Effect.Effect<ClientChannel, ChannelError> = Effect.catchIf(
      answered,
      ({ isFull }: ChannelError) => isFull && (hasOthers() || performance.now() < deadline),
      () => Effect.andThen(pause(pauseMillis), open),
    )
    return open
  })

/** Reads a stream as it is pulled. Bytes that were read too far can be given back. */
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
      // Copied: ssh2 keeps it until it is sent.
      this.#channel.write(bytes.slice(), (error) => {
        this.#pending.delete(gone)
        resolve(error === undefined || error === null)
      })
    })

  readonly end = (): Promise<void> => {
    if (!this.#isGone && this.#channel.writable) this.#channel.end()
    return Promise.resolve()
  }

  /** Its reader is gone: ends the writes that wait. */
  abandon(): void {
    this.#isGone = true
    for (const gone of this.#pending) gone()
    this.#pending.clear()
  }
}

/** Reads lines, up to a number of bytes in total and in one line, and returns the bytes after them. */
export class LinePrefix {
  readonly reader: StreamReader
  readonly #maxBytes: number
  readonly #maxLineBytes: number
  #bytes: Uint8Array = emptyBytes
  #total = 0
  #done: ((line: string | undefined) => void) | undefined
  #isRunning = false

  constructor(reader: StreamReader, maxBytes: number, maxLineBytes: number = maxBytes) {
    this.reader = reader
    this.#maxBytes = maxBytes
    this.#maxLineBytes = maxLineBytes
  }

  /** Whether more bytes came than it reads. */
  get isOver(): boolean {
    return this.#total > this.#maxBytes || this.#bytes.length > this.#maxLineBytes
  }

  /** Calls `done` with the next line; with `undefined` at the end, and beyond the number of bytes. */
  next(done: (line: string | undefined) => void): void {
    this.#done = done
    // `done` may call for the next line: a loop, as a server decides how many lines there are, and a stack is short.
    if (!this.#isRunning) this.#run()
  }

  /** The next line, as of {@link next}. */
  readonly line: Effect.Effect<string | undefined> = callbackLater((resume) =>
    this.next((line) => resume(Effect.succeed(line)))
  )

  #run(): void {
    this.#isRunning = true
    let isRead = true
    while (this.#done !== undefined && isRead) {
      const end = this.#bytes.indexOf(0x0a)
      if (end >= 0) {
        const line = this.#bytes.subarray(0, end)
        this.#bytes = this.#bytes.subarray(end + 1)
        this.#answer(new TextDecoder().decode(line).replace(/\r$/, ""))
      } else if (this.isOver) this.#answer(undefined)
      else isRead = this.#read()
    }
    this.#isRunning = false
  }

  /** Reads more; `false` while it waits. */
  #read(): boolean {
    let [isRead, isLate] = [false, false]
    this.reader.read((bytes) => {
      isRead = true
      if (bytes === undefined) this.#answer(undefined)
      else this.#append(bytes)
      if (isLate) this.#run()
    })
    isLate = true
    return isRead
  }

  #append(bytes: Uint8Array): void {
    this.#total += bytes.length
    this.#bytes = concatBytes([this.#bytes, bytes])
  }

  #answer(line: string | undefined): void {
    const done = this.#done
    this.#done = undefined
    done?.(line)
  }

  /** Gives the rest to the next reader. */
  finish(): void {
    this.reader.giveBack(this.#bytes)
    this.#bytes = emptyBytes
  }
}
