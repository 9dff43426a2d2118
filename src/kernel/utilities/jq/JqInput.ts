/** Reads the inputs of a jq program from files, one after the other. */
import type { Later } from "../../System.ts"
import { binaryToText } from "../../binaryString.ts"
import { Input, LineBytes, maxHeldBytes } from "../shared/Input.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { JqArray, type Value, weigh } from "./values.ts"
import { JsonParser, type ParserOptions } from "./JsonParser.ts"
import type { ValueBuilder } from "./ValueBuilder.ts"
import { checkWeight } from "./limits.ts"

const chunkBytes = 65_536
const maxChunkBytes = 1_048_576

/** Number of bytes of a value that are read between two counts. */
const countedBytes = 33_554_432

export class JqInput {
  readonly #io: UtilityIo
  readonly #paths: Array<string>
  readonly #parser: JsonParser
  readonly #builder: ValueBuilder
  readonly #held: LineBytes
  readonly #decoder = new TextDecoder()
  #bytes = new Uint8Array(chunkBytes)
  #fd = -1
  #isAtEnd = false
  readonly #settle: ((building: number) => Promise<undefined>) | undefined
  /** Bytes of slurped values, and of all input that was read when they were counted. */
  #slurped = 0
  #counted = 0
  #raw: Input | undefined
  #lines = 0
  /** The file that is read, `null` for standard input. */
  file: string | null = null
  /** Whether a file was opened. */
  isOpen = false
  /** Files that cannot be read. */
  errors = 0

  constructor(
    io: UtilityIo,
    paths: ReadonlyArray<string>,
    builder: ValueBuilder,
    options: ParserOptions = {},
    settle?: (building: number) => Promise<undefined>,
  ) {
    this.#settle = settle
    this.#io = io
    this.#builder = builder
    this.#paths = [...paths]
    this.#parser = new JsonParser(builder, options)
    this.#held = new LineBytes(io, "input")
  }

  get line(): number {
    return this.#lines + this.#parser.lineNumber
  }

  /** The position in the input, for messages. */
  get position(): string {
    return this.isOpen ? `${this.file ?? "<stdin>"}:${this.line}` : "<unknown>"
  }

  /** Opens the next file. */
  #open(): boolean {
    for (let path = this.#paths.shift(); path !== undefined; path = this.#paths.shift()) {
      this.#fd = path === "-" ? 0 : this.#io.system.open(path, { read: true })
      this.isOpen = true
      this.file = path === "-" ? null : path
      if (this.#fd >= 0) return true
      this.#reportError("Could not open", path, this.#fd)
    }
    return false
  }

  #reportError(what: string, path: string, errno: number): void {
    this.errors++
    this.#io.warn(`error: ${what} ${path}`, errno)
  }

  #close(): void {
    if (this.#fd > 2) this.#io.system.close(this.#fd)
    this.#fd = -1
  }

  /** The next value; `undefined` at the end. Throws `JsonError`. */
  next(): Later<Value | undefined> {
    for (;;) {
      const value = this.#parser.next()
      const { isPaused } = this.#parser
      if (!isPaused && (value !== undefined || this.#isAtEnd)) return value
      const turn = this.#io.flushAndYield()
      if (turn !== undefined) return turn.then(() => isPaused ? this.next() : this.#fillThenNext())
      if (isPaused) continue
      const filled = this.#fill()
      if (filled !== undefined) return filled.then(() => this.next())
    }
  }

  async #fillThenNext(): Promise<Value | undefined> {
    await this.#fill()
    return this.next()
  }

  /** Counts the bytes of a large value that is being read against the limit of all programs. */
  #count(): Promise<undefined> | undefined {
    const building = this.#slurped + this.#builder.weight
    if (building < this.#counted) this.#counted = 0
    if (this.#settle === undefined || building < this.#counted + countedBytes) return undefined
    this.#counted = building
    return this.#settle(building)
  }

  /** Reads one piece. */
  #fill(): Promise<void> | undefined {
    if (this.#fd < 0 && !this.#open()) {
      this.#isAtEnd = true
      this.#parser.feed(this.#decoder.decode(), true)
      return undefined
    }
    const counting = this.#count()
    if (counting !== undefined) return counting.then(() => this.#fill())
    const { pending } = this.#parser
    this.#held.set(pending)
    if (pending > this.#bytes.length && this.#bytes.length < maxChunkBytes) {
      this.#bytes = new Uint8Array(this.#bytes.length * 4)
    }
    const count = this.#io.system.read(this.#fd, this.#bytes)
    if (count instanceof Promise) return count.then((read) => this.#accept(read))
    this.#accept(count)
    return undefined
  }

  #accept(count: number): void {
    if (count > 0) {
      this.#parser.feed(this.#decoder.decode(this.#bytes.subarray(0, count), { stream: true }), false)
      return
    }
    if (count < 0) this.#reportError("Input error:", this.file ?? "-", count)
    this.#close()
  }

  /** The next line as a text, without its newline; `undefined` at the end. */
  async nextLine(): Promise<string | undefined> {
    for (;;) {
      if (this.#raw === undefined) {
        if (!this.#open()) return undefined
        this.#raw = new Input(this.#io, this.#fd, this.file ?? "-")
      }
      const line = await this.#raw.line()
      if (line !== undefined) {
        this.#lines++
        return binaryToText(line)
      }
      this.#raw.close()
      this.#raw = undefined
    }
  }

  /** All values in an array, or all text. */
  async slurp(isRaw: boolean): Promise<Value> {
    if (isRaw) return this.#slurpText()
    const items: Array<Value> = []
    let weight = 32
    for (let value = await this.next(); value !== undefined; value = await this.next()) {
      items.push(value)
      weight += weigh(value) + 8
      checkWeight(weight)
      this.#slurped = weight
    }
    this.#slurped = 0
    return new JqArray(items, weight)
  }

  async #slurpText(): Promise<string> {
    let text = ""
    while (this.#open()) {
      for (;;) {
        await this.#io.flushAndYield()
        const count = await this.#io.system.read(this.#fd, this.#bytes)
        if (count <= 0) break
        text += this.#decoder.decode(this.#bytes.subarray(0, count), { stream: true })
        checkWeight(text.length > maxHeldBytes / 4 ? maxHeldBytes + 1 : text.length)
      }
      this.#close()
    }
    return text + this.#decoder.decode()
  }
}
