import type { Later, System } from "../../System.ts"
import { bytesToBinary } from "../../binaryString.ts"

/** Who reads: the utility. */
export interface InputOwner {
  readonly system: System
  readonly settle: () => Later<void>
  readonly warn: (message: string, errno?: number) => void
  readonly fail: (message: string) => never
}

const chunk = 65_536

/** The longest line that is held in memory, bytes. */
export const maxLineBytes: number = 256 * 1024 * 1024

/** A file that is read by whole lines: as bytes in a buffer that is used again and again, or one by one. */
export class Input {
  readonly #io: InputOwner
  readonly #fd: number
  readonly path: string
  readonly terminator: number
  /** Whole lines are in `bytes` from `start` to `limit`; the last line of a file may lack its terminator. */
  bytes: Uint8Array = new Uint8Array(chunk)
  start = 0
  limit = 0
  #end = 0
  /** The whole lines as a binary string, and where in the buffer it begins: lines are slices of it. */
  #text: string | undefined
  #base = 0
  #eof = false
  /** Whether the line that `line` gave last ended with the terminator. */
  terminated = true
  /** Whether reading went wrong. */
  failed = false

  readonly #mark: string

  constructor(io: InputOwner, fd: number, path: string, terminator = 10) {
    this.#io = io
    this.#fd = fd
    this.path = path
    this.terminator = terminator
    this.#mark = String.fromCharCode(terminator)
  }

  close(): void {
    if (this.#fd > 2) this.#io.system.close(this.#fd)
  }

  get fd(): number {
    return this.#fd
  }

  /** Bytes that were read, whole lines or not: for what is seen before its line ends. */
  get held(): Uint8Array {
    return this.bytes.subarray(this.start, this.#end)
  }

  /** Reads more lines when there are none; answers `false` at the end. */
  fill(): Later<boolean> {
    for (;;) {
      if (this.start < this.limit) return true
      if (this.#eof) return false
      const pause = this.#io.settle()
      if (pause !== undefined) return pause.then(() => this.#read())
      const more = this.#read()
      if (more !== undefined) return more
    }
  }

  #read(): Later<boolean> {
    this.#makeRoom()
    const got = this.#io.system.read(this.#fd, this.bytes.subarray(this.#end))
    if (typeof got !== "number") return got.then((count) => this.#took(count) ?? this.fill())
    return this.#took(got) ?? this.fill()
  }

  #makeRoom(): void {
    this.#text = undefined
    if (this.start > 0) {
      this.bytes.copyWithin(0, this.start, this.#end)
      this.#end -= this.start
      this.limit = this.start = 0
    }
    if (this.bytes.length - this.#end >= chunk / 2) return
    if (this.#end > maxLineBytes) this.#io.fail(`${this.path}: a line is longer than ${maxLineBytes} bytes`)
    const grown = new Uint8Array(this.bytes.length * 2)
    grown.set(this.bytes.subarray(0, this.#end))
    this.bytes = grown
  }

  #took(count: number): boolean | undefined {
    this.#text = undefined
    if (count <= 0) {
      this.#eof = true
      this.limit = this.#end
      if (count < 0) {
        this.failed = true
        this.#io.warn(this.path, count)
      }
      return this.start < this.limit
    }
    const last = this.bytes.subarray(this.#end, this.#end + count).lastIndexOf(this.terminator)
    if (last >= 0) this.limit = this.#end + last + 1
    this.#end += count
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
      this.#base = this.start
    }
    const from = this.start - this.#base
    const found = this.#text.indexOf(this.#mark, from)
    this.terminated = found >= 0
    this.start = found >= 0 ? this.#base + found + 1 : this.limit
    return found >= 0 ? this.#text.slice(from, found) : this.#text.slice(from)
  }

  /** Whether no more lines come. */
  async atEnd(): Promise<boolean> {
    return !(await this.fill())
  }
}
