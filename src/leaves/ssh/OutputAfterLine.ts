/** Reads a stream from behind a line on: what start-up files of a login shell print on stderr comes before it. */
import { concatBytes, emptyBytes } from "../../base/bytes.ts"
import type { ByteReader } from "../../shell/SpawnedProcess.ts"

const lineEnd = 0x0a

/** Offset of the text behind the line, or -1. The line may follow a text without a line end. */
const endOfLine = (bytes: Uint8Array, line: Uint8Array): number => {
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) {
    const start = at - line.length
    if (start >= 0 && line.every((byte, index) => byte === bytes[start + index])) return at + 1
  }
  return -1
}

/** Drops what comes up to a line. Where the line does not come, it drops nothing: output of a command is never lost. */
export class OutputAfterLine implements ByteReader {
  readonly #reader: ByteReader
  readonly #line: Uint8Array
  readonly #maxBytes: number
  #before: Uint8Array | undefined = emptyBytes

  /** `maxBytes`: how much is held while the line is looked for. */
  constructor(reader: ByteReader, line: string, maxBytes: number) {
    this.#reader = reader
    this.#line = new TextEncoder().encode(line)
    this.#maxBytes = maxBytes
  }

  readonly read = (done: (bytes: Uint8Array | undefined) => void): void =>
    this.#before === undefined ? this.#reader.read(done) : this.#reader.read((bytes) => this.#search(bytes, done))

  readonly release = (): void => this.#reader.release()

  #search(bytes: Uint8Array | undefined, done: (bytes: Uint8Array | undefined) => void): void {
    const joined = concatBytes([this.#before ?? emptyBytes, bytes ?? emptyBytes])
    const start = endOfLine(joined, this.#line)
    if (start < 0 && bytes !== undefined && joined.length <= this.#maxBytes) {
      this.#before = joined
      return this.#reader.read((more) => this.#search(more, done))
    }
    this.#before = undefined
    const rest = start < 0 ? joined : joined.subarray(start)
    if (rest.length > 0) return done(rest)
    if (bytes === undefined) return done(undefined)
    this.#reader.read(done)
  }
}
