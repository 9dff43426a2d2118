/**
 * What code writes, kept within one budget for both streams, and only as long as it is text.
 *
 * @module
 */
import type { OutputStream } from "../command/ShellEvent.ts"
import type { PartialOutput } from "../command/ShellFault.ts"
import { KeptEnds } from "./KeptEnds.ts"
import { Utf8Validator } from "./Utf8Validator.ts"

/** Where a stream stops being text. */
export interface InvalidUtf8 {
  readonly stream: OutputStream
  /** Of the first byte that belongs to no character, counted from 0. */
  readonly offset: number
}

/** The first of both streams that is not text. */
export const firstInvalidUtf8 = (lanes: Readonly<Record<OutputStream, Utf8Validator>>): InvalidUtf8 | undefined => {
  if (lanes.stdout.invalidAt !== undefined) return { stream: "stdout", offset: lanes.stdout.invalidAt }
  return lanes.stderr.invalidAt === undefined ? undefined : { stream: "stderr", offset: lanes.stderr.invalidAt }
}

/** What code writes. */
export class OutputCollector {
  readonly #limit: number
  readonly #seen = { stdout: new Utf8Validator(), stderr: new Utf8Validator() }
  readonly #kept: Readonly<Record<OutputStream, KeptEnds>>

  /** `maxOutputBytes` is for both streams together. */
  constructor(maxOutputBytes: number) {
    this.#limit = maxOutputBytes
    this.#kept = { stdout: new KeptEnds(maxOutputBytes), stderr: new KeptEnds(maxOutputBytes) }
  }

  /** Takes bytes, and copies what it keeps. */
  push(stream: OutputStream, bytes: Uint8Array): void {
    this.#kept[stream].push(this.#seen[stream].push(bytes).bytes)
  }

  /** Both streams came to their ends. */
  end(): void {
    this.#seen.stdout.end()
    this.#seen.stderr.end()
  }

  /** The first stream that is not text. */
  get invalidUtf8(): InvalidUtf8 | undefined {
    return firstInvalidUtf8(this.#seen)
  }

  /** Whether there is more text than the budget has room for. */
  get isExceeded(): boolean {
    return this.#kept.stdout.bytes + this.#kept.stderr.bytes > this.#limit
  }

  /**
   * The text of both. A stream that needs less than half of the budget leaves the rest to the other; each that is
   * longer than its share has its middle left out.
   */
  take(): PartialOutput {
    const { stderr: { bytes: e }, stdout: { bytes: o } } = this.#kept
    const stderrShare = Math.min(e, Math.max(Math.floor(this.#limit / 2), this.#limit - o))
    const stdout = this.#kept.stdout.take(this.#limit - stderrShare)
    const stderr = this.#kept.stderr.take(stderrShare)
    const { stderr: { bytes: stderrBytes }, stdout: { bytes: stdoutBytes } } = this.#seen
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutBytes,
      stderrBytes,
      stdoutBytesOmitted: stdoutBytes - o + stdout.bytesOmitted,
      stderrBytesOmitted: stderrBytes - e + stderr.bytesOmitted,
    }
  }
}
