/** Reads text up to a delimiter, a count or a deadline, and not a byte more, for `read` and `mapfile`. */
import { yieldNow } from "../Coroutine.ts"
import { Errno } from "../Errno.ts"
import { ByteReader } from "./readLine.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { decodeLossless } from "../../base/surrogateEscape.ts"

/** A piece of text; `escaped` if a backslash protects it from word splitting. */
export interface ReadPiece {
  readonly text: string
  readonly escaped: boolean
}

const following = (byte: number): number => byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0

/** Collects bytes and divides them into pieces of text. */
export class ReadText {
  #bytes = new Uint8Array(64)
  #length = 0
  readonly pieces: Array<ReadPiece> = []

  get length(): number {
    return this.#length
  }

  add(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[this.#length++] = byte
  }

  cut(escaped = false): void {
    if (this.#length > 0) this.pieces.push({ text: decodeLossless(this.#bytes.subarray(0, this.#length)), escaped })
    this.#length = 0
  }
}

/** Options of {@link readDelimited}: the conditions that end the read. */
export interface ReadOptions {
  readonly raw: boolean
  readonly delimiter: number
  readonly count: number
  /** Whether to read past delimiters: `-N`. */
  readonly exact: boolean
  /** Time on the monotonic clock in nanoseconds. */
  readonly deadline: bigint | undefined
}

/** The end of a read; a number is a negated errno. */
export type ReadEnd = "line" | "end" | "timeout" | number

export const readDelimited = async (
  shell: Shell,
  fd: number,
  options: ReadOptions,
  into: ReadText,
): Promise<ReadEnd> => {
  const reader = new ByteReader(shell, fd)
  let characters = 0
  let protectedNext = false
  let bytes = 0
  let rest = 0
  if (options.count === 0) return "line"
  for (;;) {
    const byte = reader.take()
    if (byte === undefined) {
      if (options.deadline !== undefined && !(await waitUntilReadable(shell, fd, options.deadline))) return "timeout"
      const filled = reader.fill()
      const count = typeof filled === "number" ? filled : await filled
      if (count < 0 && count !== -Errno.EINTR) return count
      // A file never makes a read wait.
      const turn = yieldNow(shell.system)
      if (turn instanceof Promise) await turn
      continue
    }
    if (byte < 0) return "end"
    if (++bytes > shell.limits.maxValueLength) throw new ShellError("read: the line is too long", "line")
    if (rest > 0 && (byte & 0xc0) === 0x80) rest--
    else {
      characters++
      rest = following(byte)
    }
    if (protectedNext) {
      protectedNext = false
      if (byte === 10) continue
      into.cut()
      into.add(byte)
      if (byte < 0x80) into.cut(true)
    } else if (byte === 92 && !options.raw) {
      protectedNext = true
      characters--
    } else if (byte === options.delimiter && !options.exact) {
      reader.unreadRest()
      return "line"
    } else if (byte !== 0) into.add(byte)
    if (characters >= options.count && rest === 0 && !protectedNext) {
      reader.unreadRest()
      return "line"
    }
  }
}

const waitUntilReadable = async (shell: Shell, fd: number, deadline: bigint): Promise<boolean> => {
  for (;;) {
    const ms = Math.max(0, Number(deadline - shell.system.monotonic()) / 1_000_000)
    const found = await shell.system.poll([{ _tag: "Readable", fd }, { _tag: "After", ms }])
    if (typeof found === "number") {
      if (found !== -Errno.EINTR) return true
    } else return found.includes(0)
  }
}
