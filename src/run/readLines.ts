/** Iterates over the lines of a byte source as they arrive. */
import { StreamDecoder } from "../shell/StreamDecoder.ts"
import type { ByteSource } from "./CommandRun.ts"
import { OutputError } from "./StandardSchema.ts"

export interface LineOptions {
  /** The command line, for messages. */
  readonly command: string
  readonly encoding: string
  /** Maximum length of a line, in UTF-16 code units; a longer line is an error. */
  readonly maxLength: number
  /** Called at the end; rejects with the error of the run. */
  readonly end: () => Promise<unknown>
}

/**
 * Splits at `\n` and `\r\n`. Text after the last line end is a line too. Not a generator, which would cost three more
 * microtasks for each of millions of lines. A line is cut from the text of its chunk when it is asked for.
 */
class LineIterator implements AsyncIterator<string> {
  readonly #open: () => ByteSource
  readonly #options: LineOptions
  readonly #decoder: StreamDecoder
  #source: ByteSource | undefined
  #text = ""
  #at = 0
  /** The start of the next line, from earlier chunks. */
  #rest = ""
  #reading: Promise<void> | undefined
  #ended = false

  constructor(open: () => ByteSource, options: LineOptions) {
    this.#open = open
    this.#options = options
    this.#decoder = new StreamDecoder(options.encoding)
  }

  next(): Promise<IteratorResult<string, undefined>> {
    const start = this.#at
    const end = this.#text.indexOf("\n", start)
    if (end >= 0) {
      this.#at = end + 1
      if (this.#rest !== "") {
        return Promise.resolve({ done: false, value: this.#takeRest(this.#text.slice(start, end)) })
      }
      const stop = end > start && this.#text.charCodeAt(end - 1) === 13 ? end - 1 : end
      return Promise.resolve({ done: false, value: this.#text.slice(start, stop) })
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading.then(() => this.next())
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#ended = true
    this.#text = this.#rest = ""
    await this.#source?.cancel()
    return { done: true, value: undefined }
  }

  /** Ends the line that began in earlier chunks. */
  #takeRest(more: string): string {
    const line = this.#rest + more
    this.#rest = ""
    return line.endsWith("\r") ? line.slice(0, -1) : line
  }

  /** Reads until there is a line or the end. */
  async #read(): Promise<void> {
    const { command, end, maxLength } = this.#options
    try {
      const source = this.#source ??= this.#open()
      do {
        this.#rest += this.#text.slice(this.#at)
        this.#text = ""
        this.#at = 0
        if (this.#rest.length > maxLength) {
          throw new OutputError(
            command,
            { _tag: "LineTooLong", maxLength },
            `a line of ${command} has more than ${maxLength} characters and no end: raise maxOutputBytes, or use stream()`,
          )
        }
        const bytes = await source.read()
        if (this.#ended) return
        if (bytes !== undefined) {
          this.#text = this.#decoder.push(bytes)
          continue
        }
        const last = this.#rest + this.#decoder.end()
        this.#rest = ""
        if (last !== "") this.#text = `${last}\n`
        else {
          this.#ended = true
          await end()
        }
      } while (!this.#ended && !this.#text.includes("\n"))
    } catch (error) {
      await this.return()
      throw error
    }
  }
}

/** Iterates over the lines of a source that is opened at the first one. Leaving the loop cancels the source. */
export const readLines = (open: () => ByteSource, options: LineOptions): AsyncIterable<string> => ({
  [Symbol.asyncIterator]: () => new LineIterator(open, options),
})
