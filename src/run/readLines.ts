/**
 * Splits a byte source into lines and iterates over them as they arrive; refuses a line that is too long, and cancels
 * the source when the loop is left.
 *
 * @module
 */
import type { ByteSource } from "./CommandRun.ts"

/** Options of {@link readLines}. */
export interface LineOptions {
  readonly encoding: string
  /** Maximum length of a line, in UTF-16 code units; a longer line is an error. */
  readonly maxLength: number
  /** Called at the end; rejects with the error of the run. */
  readonly end: () => Promise<unknown>
}

const withoutReturn = (line: string): string => line.charCodeAt(line.length - 1) === 13 ? line.slice(0, -1) : line

/**
 * Splits at `\n` and `\r\n`. Text after the last line end is a line too. Not a generator, which would cost three more
 * microtasks for each of millions of lines.
 */
class LineIterator implements AsyncIterator<string> {
  readonly #open: () => ByteSource
  readonly #options: LineOptions
  readonly #decoder: TextDecoder
  #source: ByteSource | undefined
  #lines: ReadonlyArray<string> = []
  #at = 0
  #rest = ""
  #reading: Promise<void> | undefined
  #ended = false

  constructor(open: () => ByteSource, options: LineOptions) {
    this.#open = open
    this.#options = options
    this.#decoder = new TextDecoder(options.encoding, { ignoreBOM: true })
  }

  next(): Promise<IteratorResult<string, undefined>> {
    const line = this.#lines[this.#at]
    if (line !== undefined) {
      this.#at++
      return Promise.resolve({ done: false, value: withoutReturn(line) })
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading.then(() => this.next())
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#ended = true
    this.#lines = []
    await this.#source?.cancel()
    return { done: true, value: undefined }
  }

  /** Reads until there is a line or the end. */
  async #read(): Promise<void> {
    const { end, maxLength } = this.#options
    try {
      this.#source ??= this.#open()
      this.#at = 0
      for (this.#lines = []; this.#lines.length === 0 && !this.#ended;) {
        const bytes = await this.#source.read()
        if (this.#ended) return
        if (bytes === undefined) {
          this.#rest += this.#decoder.decode()
          this.#lines = this.#rest === "" ? [] : [this.#rest]
          this.#ended = this.#rest === ""
          this.#rest = ""
          if (this.#ended) await end()
          continue
        }
        const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n")
        this.#rest = lines.pop() ?? ""
        this.#lines = lines
        if (this.#rest.length > maxLength) {
          throw new RangeError(`a line has more than ${maxLength} characters and no end`)
        }
      }
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
