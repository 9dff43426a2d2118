/** Inspects the first bytes of an output before the reader gets them. */
import { concatBytes, emptyBytes } from "../../base/bytes.ts"
import type { ByteReader } from "../../shell/SpawnedProcess.ts"

/** Returns the part of the bytes so far that the reader gets, or `undefined` while more bytes are needed. */
export type CheckOutput = (bytes: Uint8Array, isEnd: boolean) => Uint8Array | undefined

/** Longer than any line that reports a failed exec(2). */
const maxLineBytes = 65_536

/** Checks whether the first line reports, with `nonce`, that exec(2) failed. */
export const refusalIn = (nonce: string, onRefusal: (words: ReadonlyArray<string>) => void): CheckOutput => {
  const prefix = new TextEncoder().encode(nonce)
  return (bytes, isEnd) => {
    const length = Math.min(bytes.length, prefix.length)
    const isPrefix = bytes.length < maxLineBytes && prefix.subarray(0, length).every((byte, at) => byte === bytes[at])
    if (isPrefix && !isEnd && !bytes.includes(0x0a)) return undefined
    if (!isPrefix || length < prefix.length) return bytes
    const [line = ""] = new TextDecoder().decode(bytes).split("\n")
    onRefusal(line.split(" ").slice(1))
    return emptyBytes
  }
}

/**
 * Drops everything up to a given line, which start-up files of a login shell print on stderr. The line may follow a
 * text without a line end. If the line does not come within `maxBytes`, nothing is dropped: output of a command is
 * never lost.
 */
export const afterLine = (text: string, maxBytes: number): CheckOutput => {
  const line = new TextEncoder().encode(text)
  return (bytes, isEnd) => {
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
      const start = at - line.length
      if (start >= 0 && line.every((byte, index) => byte === bytes[start + index])) return bytes.subarray(at + 1)
    }
    return isEnd || bytes.length > maxBytes ? bytes : undefined
  }
}

export class CheckedOutput implements ByteReader {
  readonly #reader: ByteReader
  readonly #check: CheckOutput | undefined
  #held: Uint8Array | undefined
  #onChecked: (() => void) | undefined

  constructor(reader: ByteReader, check: CheckOutput | undefined) {
    this.#reader = reader
    this.#check = check
    this.#held = check === undefined ? undefined : emptyBytes
  }

  readonly read = (done: (bytes: Uint8Array | undefined) => void): void =>
    this.#held === undefined ? this.#reader.read(done) : this.#reader.read((bytes) => this.#look(bytes, done))

  readonly release = (): void => {
    this.#reader.release()
    this.#setChecked()
  }

  /** Calls `done` when the first bytes have been inspected. */
  whenChecked(done: () => void): void {
    if (this.#held === undefined) done()
    else this.#onChecked = done
  }

  #setChecked(): void {
    this.#held = undefined
    this.#onChecked?.()
    this.#onChecked = undefined
  }

  #look(bytes: Uint8Array | undefined, done: (bytes: Uint8Array | undefined) => void): void {
    const joined = concatBytes([this.#held ?? emptyBytes, bytes ?? emptyBytes])
    const rest = this.#check === undefined ? joined : this.#check(joined, bytes === undefined)
    if (rest === undefined) {
      this.#held = joined
      return this.#reader.read((more) => this.#look(more, done))
    }
    this.#setChecked()
    if (rest.length > 0) return done(rest)
    if (bytes === undefined) return done(undefined)
    this.#reader.read(done)
  }
}
