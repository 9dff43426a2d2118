/** Reads the lines of a text file of any size for a model. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { FileFault } from "../../files/FileFault.ts"
import { Files } from "../../files/Files.ts"

export interface NumberedLines {
  /** Each line as its number, a tab and its text. */
  readonly text: string
  readonly totalLines: number
  /** The first line that was left out after these; `undefined` at the end. */
  readonly nextLine: number | undefined
}

/** Maximum length of one line in UTF-16 units; the rest of it is left out. */
const maxLineLength = 2_000

/**
 * Takes the text of a file piece by piece, and numbers its lines from `first` (counted from 1): at most `maxLines` of them
 * and about `maxLength` UTF-16 units. Keeps no more than that in memory.
 */
export class LineNumberer {
  readonly #first: number
  readonly #maxLines: number
  readonly #maxLength: number
  readonly #shown: Array<string> = []
  #shownLength = 0
  #nextLine: number | undefined
  /** The beginning of the incomplete line, and its length. */
  #line = ""
  #lineLength = 0
  #lineNumber = 1

  constructor(first: number, maxLines: number, maxLength: number) {
    this.#first = first
    this.#maxLines = maxLines
    this.#maxLength = maxLength
  }

  push(text: string): void {
    let start = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#extend(text, start, end)
      this.#finish()
      start = end + 1
    }
    this.#extend(text, start, text.length)
  }

  end(): NumberedLines {
    if (this.#lineLength > 0) this.#finish()
    return { text: this.#shown.join("\n"), totalLines: this.#lineNumber - 1, nextLine: this.#nextLine }
  }

  #extend(text: string, start: number, end: number): void {
    // One unit above the limit, which may be the carriage return at the end of the line.
    const room = maxLineLength + 1 - this.#line.length
    if (room > 0) this.#line += text.slice(start, Math.min(end, start + room))
    this.#lineLength += end - start
  }

  #finish(): void {
    const number = this.#lineNumber++
    const hasReturn = this.#line.length === this.#lineLength && this.#line.endsWith("\r")
    const length = hasReturn ? this.#lineLength - 1 : this.#lineLength
    const line = this.#line.slice(0, Math.min(length, maxLineLength))
    this.#line = ""
    this.#lineLength = 0
    if (number < this.#first || this.#nextLine !== undefined) return
    const cut = length > maxLineLength ? `${line} … (${length - maxLineLength} more)` : line
    const numbered = `${String(number).padStart(6)}\t${cut}`
    const isFull = this.#shown.length > 0 && this.#shownLength + numbered.length > this.#maxLength
    if (isFull || this.#shown.length === this.#maxLines) {
      this.#nextLine = number
      return
    }
    this.#shown.push(numbered)
    this.#shownLength += numbered.length + 1
  }
}

/** Number of UTF-16 units that are checked to recognize a text file. */
const sniffedLength = 8_192

export const NotText: Schema.TaggedStruct<"NotText", {
  readonly path: typeof Schema.String
  readonly message: typeof Schema.String
}> = Schema.TaggedStruct("NotText", { path: Schema.String, message: Schema.String })

/** A decoder for a file that begins with these bytes: UTF-16 if there is its byte order mark, else UTF-8. */
const decoderFor = ([first, second]: Uint8Array): TextDecoder =>
  new TextDecoder(
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8",
  )

/** Reads lines, as {@link LineNumberer} shows them. Memory is bounded, whatever the size of the file. */
export const readLines = (
  path: string,
  first: number,
  maxLines: number,
  maxLength: number,
): Effect.Effect<NumberedLines, FileFault | typeof NotText.Type, Files> =>
  Effect.suspend(() => {
    const lines = new LineNumberer(first, maxLines, maxLength)
    let decoder: TextDecoder | undefined
    let sniffed = 0
    /** Whether the rest is still text. */
    const take = (bytes: Uint8Array): boolean => {
      decoder ??= decoderFor(bytes)
      const text = decoder.decode(bytes, { stream: true })
      if (sniffed < sniffedLength && text.slice(0, sniffedLength - sniffed).includes("\0")) return false
      sniffed += text.length
      lines.push(text)
      return true
    }
    const message = `read ${path}: it is not text; look at it with a program that knows its format`
    return Files.stream(path).pipe(
      Stream.runForEach((bytes) => take(bytes) ? Effect.void : Effect.fail(NotText.make({ path, message }))),
      Effect.map(() => {
        lines.push(decoder?.decode() ?? "")
        return lines.end()
      }),
    )
  })
