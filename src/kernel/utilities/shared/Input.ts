/** Reads an open file of the kernel line by line for a utility, as bytes in a reused buffer or as binary strings. */
import { bytesToBinary } from "../../binaryString.ts"
import type { Later, System } from "../../System.ts"

export interface InputOwner {
  readonly system: System
  readonly flushAndYield: () => Later<void>
  readonly warn: (message: string, errno?: number) => void
  readonly fail: (message: string) => never
}

const chunkBytes = 65_536

/** Number of bytes of one read, even of a long line, so that other processes run between reads. */
const maxReadBytes = 1_048_576

/** Maximum bytes of the lines that a utility holds in memory. */
export const maxHeldBytes: number = 256 * 1024 * 1024

/**
 * The bytes of one line that a utility holds. Bytes beyond a chunk count against `limits.maxLineBytes` of the sandbox.
 */
export class LineBytes {
  readonly #owner: InputOwner
  readonly #label: string
  #counted = 0

  constructor(owner: InputOwner, label: string) {
    this.#owner = owner
    this.#label = label
  }

  /** Sets their number; fails if all lines that are held exceed the limit. */
  set(bytes: number): void {
    const counted = bytes > chunkBytes ? bytes : 0
    if (counted === this.#counted) return
    const { system } = this.#owner
    if (system.holdLine(counted - this.#counted) < 0) {
      // Other processes need not fail, too.
      system.holdLine(-this.#counted)
      this.#owner.fail(`${this.#label}: line too long (limits.maxLineBytes is ${system.maxLineBytes})`)
    }
    this.#counted = counted
  }
}

export class Input {
  readonly #owner: InputOwner
  readonly fd: number
  readonly path: string
  readonly terminator: number
  /** Holds whole lines from `start` to `limit`; the last line of a file may lack its terminator. */
  bytes: Uint8Array = new Uint8Array(chunkBytes)
  start = 0
  limit = 0
  #end = 0
  /** The whole lines as a binary string, and its offset in the buffer; lines are slices of it. */
  #text: string | undefined
  #textOffset = 0
  #eof = false
  /** Whether the last line returned by `line` ended with the terminator. */
  terminated = true
  failed = false

  readonly #terminatorText: string
  /** The first line in the buffer. */
  readonly #first: LineBytes

  constructor(owner: InputOwner, fd: number, path: string, terminator = 10) {
    this.#owner = owner
    this.fd = fd
    this.path = path
    this.terminator = terminator
    this.#terminatorText = String.fromCharCode(terminator)
    this.#first = new LineBytes(owner, path)
  }

  close(): void {
    this.#first.set(0)
    if (this.fd > 2) this.#owner.system.close(this.fd)
  }

  /** Number of bytes that were read but not consumed, whether or not they are whole lines. */
  get held(): Uint8Array {
    return this.bytes.subarray(this.start, this.#end)
  }

  /** Makes sure that a whole line is buffered; `false` at the end of the file. */
  fill(): Later<boolean> {
    for (;;) {
      if (this.start < this.limit) return true
      if (this.#eof) {
        this.#first.set(0)
        return false
      }
      const turn = this.#owner.flushAndYield()
      if (turn !== undefined) return turn.then(() => this.#read())
      const more = this.#read()
      if (more !== undefined) return more
    }
  }

  #read(): Later<boolean> {
    this.#makeRoom()
    const got = this.#owner.system.read(this.fd, this.bytes.subarray(this.#end, this.#end + maxReadBytes))
    if (typeof got !== "number") return got.then((count) => this.#accept(count) ?? this.fill())
    return this.#accept(got) ?? this.fill()
  }

  #makeRoom(): void {
    this.#text = undefined
    if (this.start > 0) {
      this.bytes.copyWithin(0, this.start, this.#end)
      this.#end -= this.start
      this.limit = this.start = 0
    }
    this.#first.set(this.#end)
    const { length } = this.bytes
    const isShort = this.#end < chunkBytes / 2
    if (isShort ? length === chunkBytes : length - this.#end >= chunkBytes / 2) return
    // Room for a whole chunk after the longest line that fits.
    const size = Math.min(length * 2, this.#owner.system.maxLineBytes + 2 * chunkBytes)
    const resized = new Uint8Array(isShort ? chunkBytes : size)
    resized.set(this.bytes.subarray(0, this.#end))
    this.bytes = resized
  }

  #accept(count: number): boolean | undefined {
    this.#text = undefined
    if (count <= 0) {
      this.#eof = true
      this.limit = this.#end
      if (count < 0) {
        this.failed = true
        this.#owner.warn(this.path, count)
      }
      return this.start < this.limit
    }
    const from = this.#end
    const last = this.bytes.subarray(from, from + count).lastIndexOf(this.terminator)
    if (last >= 0) this.limit = from + last + 1
    this.#end += count
    if (this.#end > chunkBytes) this.#first.set(last < 0 ? this.#end : this.bytes.indexOf(this.terminator, from))
    return last >= 0 ? true : undefined
  }

  /** The next line as a binary string, without its terminator; `undefined` at the end. */
  line(): Later<string | undefined> {
    if (this.start < this.limit) return this.#cut()
    const more = this.fill()
    if (typeof more === "boolean") return more ? this.#cut() : undefined
    return more.then((yes) => yes ? this.#cut() : undefined)
  }

  #cut(): string {
    if (this.#text === undefined) {
      this.#text = bytesToBinary(this.bytes, this.start, this.limit)
      this.#textOffset = this.start
    }
    const from = this.start - this.#textOffset
    const found = this.#text.indexOf(this.#terminatorText, from)
    this.terminated = found >= 0
    this.start = found >= 0 ? this.#textOffset + found + 1 : this.limit
    return found >= 0 ? this.#text.slice(from, found) : this.#text.slice(from)
  }
}
