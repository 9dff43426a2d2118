/** Reads an output of a session: separates the reports of the session from the bytes of its commands. */
import { concatBytes, emptyBytes, encodeUtf8 } from "../../base/bytes.ts"
import type { ByteReader } from "../../shell/SpawnedProcess.ts"
import { reportEnd, reportStart } from "./sessionScript.ts"

/** A longer text between the markers is output. */
const maxReportBytes = 65_536

const endMarker = encodeUtf8(reportEnd)

const findMarker = (bytes: Uint8Array, marker: Uint8Array, from: number): { at: number; isWhole: boolean } => {
  for (let at = from;; at++) {
    at = bytes.indexOf(marker[0] ?? 0, at)
    if (at < 0) return { at: bytes.length, isWhole: false }
    const length = Math.min(marker.length, bytes.length - at)
    let same = 1
    while (same < length && bytes[at + same] === marker[same]) same++
    if (same === length) return { at, isWhole: length === marker.length }
  }
}

export interface ReportListener {
  readonly onReport: (report: string) => void
  /** The pipe has ended, and all of it was read. */
  readonly onEnd?: (() => void) | undefined
}

/**
 * One output of a session. A run calls {@link ReportReader.begin} and then reads to the end of the pipe, or to the end of
 * the run, which a report marks.
 */
export class ReportReader implements ByteReader {
  readonly #pipe: ByteReader
  readonly #maxAheadBytes: number
  readonly #listener: ReportListener
  #marker: Uint8Array = emptyBytes
  /** Bytes of the pipe that may begin a report. */
  #held: Uint8Array = emptyBytes
  /** Bytes of the run that were read before the consumer asked for them. */
  #ready: Array<Uint8Array> = []
  #waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  #isReading = false
  #isDiscarding = false
  #isOver = true
  #hasEnded = false

  /**
   * `maxAheadBytes`: number of bytes that are read before the consumer asks for them, so that a slow consumer does not
   * delay reports.
   */
  constructor(pipe: ByteReader, maxAheadBytes: number, listener: ReportListener) {
    this.#pipe = pipe
    this.#maxAheadBytes = maxAheadBytes
    this.#listener = listener
  }

  begin(id: string): void {
    this.#marker = encodeUtf8(`${reportStart}${id} `)
    this.#ready = []
    this.#isOver = false
    this.#isDiscarding = false
    this.#advance()
  }

  /** Ends the output of the run: what follows belongs to the next one. */
  end(): void {
    this.#isOver = true
  }

  /** Takes the bytes that were read ahead. */
  take(): Uint8Array {
    const bytes = concatBytes(this.#ready)
    this.#ready = []
    return bytes
  }

  readonly read = (done: (bytes: Uint8Array | undefined) => void): void => {
    this.#waiting = done
    this.#advance()
  }

  /**
   * Stops the consumer. The pipe is read on and its bytes are dropped: a closed pipe would end the client of the engine, and
   * with it the reports.
   */
  readonly release = (): void => {
    this.#ready = []
    this.#isDiscarding = true
    const done = this.#waiting
    this.#waiting = undefined
    done?.(undefined)
    this.#advance()
  }

  #advance(): void {
    const done = this.#waiting
    if (done !== undefined) {
      const bytes = this.#ready.shift()
      if (bytes !== undefined || this.#isOver || this.#hasEnded) {
        this.#waiting = undefined
        done(bytes)
        return this.#advance()
      }
    }
    if (this.#isReading || this.#hasEnded || !this.#isWanted()) return
    this.#isReading = true
    this.#pipe.read((bytes) => {
      // A report may start the next run at once, and that run must not read before these bytes have been examined.
      if (bytes !== undefined) this.#scan(bytes)
      this.#isReading = false
      if (bytes !== undefined) return this.#advance()
      this.#hasEnded = true
      this.#push(this.#held)
      this.#held = emptyBytes
      this.#advance()
      this.#listener.onEnd?.()
    })
  }

  #isWanted(): boolean {
    if (this.#waiting !== undefined || this.#isDiscarding) return true
    return this.#ready.reduce((sum, { length }) => sum + length, 0) < this.#maxAheadBytes
  }

  #push(bytes: Uint8Array): void {
    if (bytes.length > 0 && !this.#isDiscarding) this.#ready.push(bytes)
  }

  #scan(read: Uint8Array): void {
    // The bytes of a pipe are valid until its next read, so bytes that wait for that read are copied.
    const isDirect = this.#maxAheadBytes === 0
    const bytes = this.#held.length === 0 ? (isDirect ? read : read.slice()) : concatBytes([this.#held, read])
    this.#held = emptyBytes
    let from = 0
    for (;;) {
      const start = findMarker(bytes, this.#marker, from)
      this.#push(bytes.subarray(from, start.at))
      if (start.at === bytes.length) return
      const textAt = start.at + this.#marker.length
      const stop = start.isWhole ? findMarker(bytes, endMarker, textAt) : { at: bytes.length, isWhole: false }
      if (!stop.isWhole) {
        if (bytes.length - start.at <= maxReportBytes) {
          this.#held = bytes.slice(start.at)
          return
        }
        this.#push(bytes.subarray(start.at))
        return
      }
      from = stop.at + endMarker.length
      this.#listener.onReport(new TextDecoder().decode(bytes.subarray(textAt, stop.at)))
    }
  }
}
