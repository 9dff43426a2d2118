/** Reads the records of an open file: lines, paragraphs, or parts separated by a regular expression. */
import { bytesToBinary } from "../../binaryString.ts"
import type { Regex } from "../../regex/Regex.ts"
import type { Later } from "../../System.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { LineBytes } from "../shared/Input.ts"

/** The end of a record: `RS`. */
export type Separator =
  | { readonly _tag: "Letter"; readonly letter: string }
  | { readonly _tag: "Paragraph" }
  | { readonly _tag: "Regex"; readonly regex: Regex }

/** Number of bytes of one read; more while a long record is read, which would otherwise be copied for each read. */
const chunkBytes = 65_536
const maxChunkBytes = 1_048_576
const neverYields = { yield: (): undefined => undefined }

export class RecordReader {
  readonly #io: UtilityIo
  readonly #fd: number
  readonly #path: string
  readonly #held: LineBytes
  #bytes = new Uint8Array(chunkBytes)
  /** Input that no record has taken begins at `#start`. */
  #text = ""
  #start = 0
  #isAtEnd = false
  /** Whether a read failed. */
  failed = false
  /** The text that ended the last record: `RT` of gawk. */
  terminator = ""

  constructor(io: UtilityIo, fd: number, path: string) {
    this.#io = io
    this.#fd = fd
    this.#path = path
    this.#held = new LineBytes(io, path)
  }

  close(): void {
    if (this.#fd > 2) this.#io.system.close(this.#fd)
    this.#text = ""
    this.#held.set(0)
    this.#isAtEnd = true
  }

  /** The next record; `undefined` at the end. */
  next(separator: Separator): Later<string | undefined> {
    for (;;) {
      const record = this.#cut(separator)
      if (record !== undefined || this.#isAtEnd) return record
      const turn = this.#io.flushAndYield()
      if (turn !== undefined) return turn.then(() => this.#readThen(separator))
      const count = this.#read()
      if (count !== undefined) return count.then(() => this.next(separator))
    }
  }

  async #readThen(separator: Separator): Promise<string | undefined> {
    await this.#read()
    return this.next(separator)
  }

  #read(): Promise<void> | undefined {
    const pending = this.#text.length - this.#start
    this.#held.set(pending)
    if (pending > this.#bytes.length && pending < 2 * maxChunkBytes) {
      this.#bytes = new Uint8Array(Math.min(maxChunkBytes, pending))
    }
    const count = this.#io.system.read(this.#fd, this.#bytes)
    if (typeof count === "object") return count.then((read) => this.#accept(read))
    this.#accept(count)
    return undefined
  }

  #accept(count: number): void {
    if (count > 0) {
      this.#text = this.#text.slice(this.#start) + bytesToBinary(this.#bytes, 0, count)
      this.#start = 0
      return
    }
    this.#isAtEnd = true
    if (count === 0) return
    this.failed = true
    this.#io.warn(this.#path, count)
  }

  #take(end: number, next: number): string {
    const record = this.#text.slice(this.#start, end)
    this.terminator = next === end + 1 ? this.#text[end] ?? "" : this.#text.slice(end, next)
    this.#start = next
    return record
  }

  /** The rest at the end of the file. */
  #takeRest(): string | undefined {
    return this.#isAtEnd && this.#start < this.#text.length
      ? this.#take(this.#text.length, this.#text.length)
      : undefined
  }

  #cut(separator: Separator): string | undefined {
    const text = this.#text
    switch (separator._tag) {
      case "Letter": {
        const end = text.indexOf(separator.letter, this.#start)
        return end < 0 ? this.#takeRest() : this.#take(end, end + 1)
      }
      case "Paragraph": {
        while (text[this.#start] === "\n") this.#start++
        const end = text.indexOf("\n\n", this.#start)
        if (end < 0) {
          const last = this.#isAtEnd && text.endsWith("\n") ? text.length - 1 : text.length
          return this.#isAtEnd && this.#start < last ? this.#take(last, text.length) : undefined
        }
        let next = end + 2
        while (text[next] === "\n") next++
        // More newlines may follow in the next read.
        return next === text.length && !this.#isAtEnd ? undefined : this.#take(end, next)
      }
      case "Regex": {
        const { regex } = separator
        for (let from = this.#start; from < text.length;) {
          if (regex.exec(neverYields, text, from) !== true) break
          const { end, start } = regex
          if (end === start) {
            from = end + 1
            continue
          }
          // A match at the end of the buffer may become longer.
          if (end === text.length && !this.#isAtEnd) return undefined
          return this.#take(start, end)
        }
        return this.#takeRest()
      }
    }
  }
}
