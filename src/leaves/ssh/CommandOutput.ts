/** Reads the stdout of a command, and tells it from the line that says that exec(2) failed. */
import { concatBytes, emptyBytes } from "../../base/bytes.ts"
import type { ByteReader } from "../../shell/SpawnedProcess.ts"
import type { StreamReader } from "./channels.ts"

/** A line that says that exec(2) failed is shorter. */
const maxLineBytes = 65_536

/** Reads stdout, and notices when exec(2) failed after all: then the first line says so. */
export class CommandOutput implements ByteReader {
  readonly #reader: StreamReader
  readonly #prefix: Uint8Array
  readonly #onRefusal: (words: ReadonlyArray<string>) => void
  #isChecked: boolean
  #onChecked: (() => void) | undefined
  #held: Uint8Array = emptyBytes

  /** `nonce`: the start of that line, or `undefined` where none comes. */
  constructor(reader: StreamReader, nonce: string | undefined, onRefusal: (words: ReadonlyArray<string>) => void) {
    this.#reader = reader
    this.#isChecked = nonce === undefined
    this.#prefix = new TextEncoder().encode(nonce)
    this.#onRefusal = onRefusal
  }

  readonly read = (done: (bytes: Uint8Array | undefined) => void): void =>
    this.#isChecked ? this.#reader.read(done) : this.#reader.read((bytes) => this.#check(bytes, done))

  readonly release = (): void => {
    this.#reader.release()
    this.#setChecked()
  }

  /** Calls `done` when the first bytes have been looked at. */
  whenChecked(done: () => void): void {
    if (this.#isChecked) done()
    else this.#onChecked = done
  }

  #setChecked(): void {
    this.#isChecked = true
    this.#onChecked?.()
    this.#onChecked = undefined
  }

  #check(bytes: Uint8Array | undefined, done: (bytes: Uint8Array | undefined) => void): void {
    const joined = concatBytes([this.#held, bytes ?? emptyBytes])
    const length = Math.min(joined.length, this.#prefix.length)
    const isPrefix = this.#prefix.subarray(0, length).every((byte, at) => byte === joined[at])
    if (isPrefix && bytes !== undefined && joined.length < maxLineBytes && !joined.includes(0x0a)) {
      this.#held = joined
      return this.#reader.read((more) => this.#check(more, done))
    }
    if (isPrefix && length === this.#prefix.length && joined.length < maxLineBytes) {
      const [line = ""] = new TextDecoder().decode(joined).split("\n")
      this.#onRefusal(line.split(" ").slice(1))
      this.#setChecked()
      return done(undefined)
    }
    this.#setChecked()
    done(joined.length === 0 ? undefined : joined)
  }
}
