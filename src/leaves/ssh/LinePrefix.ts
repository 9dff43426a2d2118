/** Reads the lines before the bytes of a stream. */
import * as Effect from "effect/Effect"
import { concatBytes, emptyBytes } from "../../base/bytes.ts"
import { callbackLater } from "../../base/waits.ts"
import type { StreamReader } from "./channelPipes.ts"

/** Reads lines, up to a number of bytes in total and in one line, and returns the bytes after them. */
export class LinePrefix {
  readonly reader: StreamReader
  readonly #maxBytes: number
  readonly #maxLineBytes: number
  #bytes: Uint8Array = emptyBytes
  #total = 0
  #done: ((line: string | undefined) => void) | undefined
  #isRunning = false

  constructor(reader: StreamReader, maxBytes: number, maxLineBytes: number = maxBytes) {
    this.reader = reader
    this.#maxBytes = maxBytes
    this.#maxLineBytes = maxLineBytes
  }

  /** Whether more bytes arrived than the maximum. */
  get isOver(): boolean {
    return this.#total > this.#maxBytes || this.#bytes.length > this.#maxLineBytes
  }

  /** Calls `done` with the next line; with `undefined` at the end, and beyond the number of bytes. */
  next(done: (line: string | undefined) => void): void {
    this.#done = done
    // `done` may request the next line. A loop, not recursion: the server chooses the number of lines, and the stack is
    // limited.
    if (!this.#isRunning) this.#run()
  }

  /** The next line, as of {@link next}. */
  readonly line: Effect.Effect<string | undefined> = callbackLater((resume) =>
    this.next((line) => resume(Effect.succeed(line)))
  )

  #run(): void {
    this.#isRunning = true
    let isRead = true
    while (this.#done !== undefined && isRead) {
      const end = this.#bytes.indexOf(0x0a)
      if (end >= 0) {
        const line = this.#bytes.subarray(0, end)
        this.#bytes = this.#bytes.subarray(end + 1)
        this.#answer(new TextDecoder().decode(line).replace(/\r$/, ""))
      } else if (this.isOver) this.#answer(undefined)
      else isRead = this.#read()
    }
    this.#isRunning = false
  }

  /** Reads more; `false` while it waits. */
  #read(): boolean {
    let [isRead, isLate] = [false, false]
    this.reader.read((bytes) => {
      isRead = true
      if (bytes === undefined) this.#answer(undefined)
      else this.#append(bytes)
      if (isLate) this.#run()
    })
    isLate = true
    return isRead
  }

  #append(bytes: Uint8Array): void {
    this.#total += bytes.length
    this.#bytes = concatBytes([this.#bytes, bytes])
  }

  #answer(line: string | undefined): void {
    const done = this.#done
    this.#done = undefined
    done?.(line)
  }

  /** Gives the rest to the next reader. */
  finish(): void {
    this.reader.giveBack(this.#bytes)
    this.#bytes = emptyBytes
  }
}
