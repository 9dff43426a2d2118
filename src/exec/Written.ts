/**
 * What code writes, kept within one budget for both streams, and only as long as it is text.
 *
 * @module
 */
import type { OutputStream } from "../command/ShellEvent.ts"
import type { PartialOutput } from "../command/ShellFault.ts"
import { KeptEnds } from "./KeptEnds.ts"
import { Utf8Check } from "./Utf8Check.ts"

/** Where a stream stops being text. */
export interface NotText {
  readonly stream: OutputStream
  /** Of the first byte that belongs to no character, counted from 0. */
  readonly offset: number
}

/** One stream: text up to where it stops being text. */
class Lane {
  readonly ends: KeptEnds
  readonly #check = new Utf8Check()
  /** Bytes seen, text or not. */
  bytes = 0
  notText: number | undefined

  constructor(limit: number) {
    this.ends = new KeptEnds(limit)
  }

  push(piece: Uint8Array): void {
    const before = this.bytes
    this.bytes += piece.length
    if (this.notText !== undefined) return
    if (this.#check.push(piece)) return this.ends.push(piece)
    this.notText = this.#check.offset
    // What came before it in this very piece is text. (It may be less than nothing: a character begun in the last one.)
    this.ends.push(piece.subarray(0, Math.max(0, this.notText - before)))
  }

  /** Nothing more will come. A character that was begun is one no more. */
  end(): void {
    if (this.notText === undefined && this.#check.within) this.notText = this.#check.offset
  }
}

/** What code writes. */
export class Written {
  readonly #limit: number
  readonly #stdout: Lane
  readonly #stderr: Lane

  /** `maxOutputBytes` is for both streams together. */
  constructor(maxOutputBytes: number) {
    this.#limit = maxOutputBytes
    this.#stdout = new Lane(maxOutputBytes)
    this.#stderr = new Lane(maxOutputBytes)
  }

  /** Takes bytes, and copies what it keeps. */
  push(stream: OutputStream, bytes: Uint8Array): void {
    const lane = stream === "stdout" ? this.#stdout : this.#stderr
    lane.push(bytes)
  }

  /** Both streams came to their ends. */
  end(): void {
    this.#stdout.end()
    this.#stderr.end()
  }

  /** The first stream that is not text. */
  get notText(): NotText | undefined {
    if (this.#stdout.notText !== undefined) return { stream: "stdout", offset: this.#stdout.notText }
    return this.#stderr.notText === undefined ? undefined : { stream: "stderr", offset: this.#stderr.notText }
  }

  /** Bytes of text that the budget has no room for. */
  get excess(): number {
    return Math.max(0, this.#stdout.ends.bytes + this.#stderr.ends.bytes - this.#limit)
  }

  /**
   * The text of both. A stream that needs less than half of the budget leaves the rest to the other; each that is
   * longer than its share has its middle left out.
   */
  take(): PartialOutput {
    const [o, e] = [this.#stdout.ends.bytes, this.#stderr.ends.bytes]
    const half = Math.floor(this.#limit / 2)
    const stderrShare = Math.max(Math.min(e, half), Math.min(e, this.#limit - o))
    const stdout = this.#stdout.ends.take(this.#limit - stderrShare)
    const stderr = this.#stderr.ends.take(stderrShare)
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutBytes: this.#stdout.bytes,
      stderrBytes: this.#stderr.bytes,
      stdoutBytesOmitted: this.#stdout.bytes - o + stdout.bytesOmitted,
      stderrBytesOmitted: this.#stderr.bytes - e + stderr.bytesOmitted,
    }
  }
}
