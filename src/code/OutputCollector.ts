/** Collects stdout and stderr of code as UTF-8 text, each up to its first byte that is not UTF-8. */
import type { OutputStream } from "../command/ShellEvent.ts"
import type { PartialOutput } from "../command/ShellFault.ts"
import { HeadTailBuffer } from "../shell/HeadTailBuffer.ts"
import { Utf8Validator } from "./Utf8Validator.ts"

export interface InvalidUtf8 {
  readonly stream: OutputStream
  readonly offset: number
}

export const firstInvalidUtf8 = (
  validators: Readonly<Record<OutputStream, Utf8Validator>>,
): InvalidUtf8 | undefined => {
  const { stderr, stdout } = validators
  if (stdout.invalidAt !== undefined) return { stream: "stdout", offset: stdout.invalidAt }
  return stderr.invalidAt === undefined ? undefined : { stream: "stderr", offset: stderr.invalidAt }
}

/** Keeps the start and the end of both outputs. An output is kept up to its first byte that is not UTF-8. */
export class OutputCollector {
  readonly #limit: number
  readonly #validators = { stdout: new Utf8Validator(), stderr: new Utf8Validator() }
  readonly #kept: Readonly<Record<OutputStream, HeadTailBuffer>>

  /** `maxOutputBytes` limits both streams together. */
  constructor(maxOutputBytes: number) {
    this.#limit = maxOutputBytes
    this.#kept = { stdout: new HeadTailBuffer(maxOutputBytes), stderr: new HeadTailBuffer(maxOutputBytes) }
  }

  /** Takes the next bytes of a stream; the caller may reuse their buffer. */
  push(stream: OutputStream, bytes: Uint8Array): void {
    const piece = this.#validators[stream].push(bytes)
    this.#kept[stream].push(piece.completed)
    this.#kept[stream].push(piece.bytes)
  }

  end(): void {
    this.#validators.stdout.end()
    this.#validators.stderr.end()
  }

  get invalidUtf8(): InvalidUtf8 | undefined {
    return firstInvalidUtf8(this.#validators)
  }

  get isExceeded(): boolean {
    return this.#kept.stdout.bytes + this.#kept.stderr.bytes > this.#limit
  }

  /**
   * The text of both streams. A stream that needs less than half of the budget leaves the rest to the other; a stream
   * that exceeds its share loses its middle.
   */
  take(): PartialOutput {
    const { stderr: { bytes: stderrText }, stdout: { bytes: stdoutText } } = this.#kept
    const half = Math.floor(this.#limit / 2)
    const stderrShare = Math.min(stderrText, Math.max(half, this.#limit - stdoutText))
    const stdout = this.#kept.stdout.take("utf-8", this.#limit - stderrShare)
    const stderr = this.#kept.stderr.take("utf-8", stderrShare)
    const { stderr: { bytes: stderrBytes }, stdout: { bytes: stdoutBytes } } = this.#validators
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutBytes,
      stderrBytes,
      stdoutBytesOmitted: stdoutBytes - stdoutText + stdout.bytesOmitted,
      stderrBytesOmitted: stderrBytes - stderrText + stderr.bytesOmitted,
    }
  }
}
