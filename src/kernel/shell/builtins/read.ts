/**
 * Builtins that read: `read`, `mapfile`, `readarray`.
 *
 * Source: POSIX read(1); bash(1) `read`, `mapfile`.
 *
 * @module
 */
import { Errno, errnoText } from "../../Errno.ts"
import { FieldSink } from "../expand/Sink.ts"
import { ByteReader } from "../readLine.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { decode } from "../text.ts"
import { parseOptions } from "./parseOptions.ts"
import { setByText } from "./setByText.ts"

/** Text that was read; what a backslash protected is not split. */
interface Piece {
  readonly text: string
  readonly escaped: boolean
}

/** How many bytes follow a first one in its character. */
const following = (byte: number): number => byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0

/** Growing bytes. */
class Collected {
  #bytes = new Uint8Array(64)
  #length = 0
  readonly pieces: Array<Piece> = []

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

  /** What is here becomes a piece. */
  cut(escaped = false): void {
    if (this.#length > 0) this.pieces.push({ text: decode(this.#bytes.subarray(0, this.#length)), escaped })
    this.#length = 0
  }
}

interface Wish {
  readonly raw: boolean
  readonly delimiter: number
  /** Characters at most. */
  readonly count: number
  /** Delimiters do not end it: `-N`. */
  readonly exact: boolean
  /** Nanoseconds on the monotonic clock. */
  readonly deadline: bigint | undefined
}

type Ending = "line" | "end" | "timeout" | number

/** Reads up to what ends it. */
const collect = async (shell: Shell, fd: number, wish: Wish, into: Collected): Promise<Ending> => {
  const reader = new ByteReader(shell, fd)
  let characters = 0
  let protectedNext = false
  let bytes = 0
  let rest = 0
  if (wish.count === 0) return "line"
  for (;;) {
    const byte = reader.take()
    if (byte === undefined) {
      if (wish.deadline !== undefined && !(await ready(shell, fd, wish.deadline))) return "timeout"
      const filled = reader.fill()
      const count = typeof filled === "number" ? filled : await filled
      if (count < 0 && count !== -Errno.EINTR) return count
      continue
    }
    if (byte < 0) return "end"
    if (++bytes > shell.limits.valueLength) throw new ShellError("read: the line is too long", "line")
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
    } else if (byte === 92 && !wish.raw) {
      protectedNext = true
      characters--
    } else if (byte === wish.delimiter && !wish.exact) {
      reader.done()
      return "line"
    } else if (byte !== 0) into.add(byte)
    if (characters >= wish.count && rest === 0 && !protectedNext) {
      reader.done()
      return "line"
    }
  }
}

const ready = async (shell: Shell, fd: number, deadline: bigint): Promise<boolean> => {
  for (;;) {
    const ms = Math.max(0, Number(deadline - shell.system.monotonic()) / 1_000_000)
    const found = await shell.system.poll([{ _tag: "Readable", fd }, { _tag: "After", ms }])
    if (typeof found === "number") {
      if (found !== -Errno.EINTR) return true
    } else return found.includes(0)
  }
}

const isSpace = (character: string): boolean => character === " " || character === "\t" || character === "\n"

/** Gives each name a field, the last one the rest. */
const share = (pieces: ReadonlyArray<Piece>, names: ReadonlyArray<string>, ifs: string): ReadonlyArray<string> => {
  const units: Array<{ readonly text: string; readonly splits: boolean }> = []
  for (const { escaped, text } of pieces) {
    for (const character of text) units.push({ text: character, splits: !escaped && ifs.includes(character) })
  }
  let at = 0
  const spaceAt = (place: number): boolean => units[place]?.splits === true && isSpace(units[place]?.text ?? "")
  const skipSpace = (): void => {
    while (spaceAt(at)) at++
  }
  const field = (): string => {
    let text = ""
    while (at < units.length && units[at]?.splits !== true) text += units[at++]?.text
    skipSpace()
    if (units[at]?.splits === true) {
      at++
      skipSpace()
    }
    return text
  }
  skipSpace()
  return names.map((_, index) => {
    if (index < names.length - 1) return field()
    const start = at
    const only = field()
    if (at >= units.length) return only
    let end = units.length
    while (end > start && spaceAt(end - 1)) end--
    return units.slice(start, end).map(({ text }) => text).join("")
  })
}

const reads: Builtin = async (shell, args) => {
  const { letters, problem, rest, values } = parseOptions(args, "a:d:ei:n:N:p:rst:u:")
  if (problem !== undefined) return shell.complain(`read: ${problem}`, 2)
  const fd = Number(values.get("u") ?? 0)
  const real = shell.io.get(fd)
  if (real === undefined) return shell.complain(`read: ${fd}: invalid file descriptor: Bad file descriptor`)
  const seconds = values.get("t")
  if (seconds !== undefined && !/^\d*\.?\d+$|^\d+\.$/.test(seconds)) {
    return shell.complain(`read: ${seconds}: invalid timeout specification`)
  }
  if (seconds !== undefined && Number(seconds) === 0) {
    const found = await shell.system.poll([{ _tag: "Readable", fd: real }, { _tag: "After", ms: 0 }])
    return typeof found === "object" && found.includes(0) ? 0 : 1
  }
  const count = values.get("N") ?? values.get("n")
  if (count !== undefined && !/^\d+$/.test(count)) return shell.complain(`read: ${count}: invalid number`)
  for (const name of rest) {
    if (!/^[A-Za-z_]\w*(\[.+\])?$/s.test(name)) return shell.complain(`read: \`${name}': not a valid identifier`)
  }
  const delimiter = values.get("d")
  const into = new Collected()
  const ending = await collect(shell, real, {
    raw: letters.has("r"),
    delimiter: delimiter === undefined ? 10 : delimiter.charCodeAt(0) || 0,
    count: count === undefined ? Infinity : Number(count),
    exact: values.has("N"),
    deadline: seconds === undefined ? undefined : shell.system.monotonic() + BigInt(Math.round(Number(seconds) * 1e9)),
  }, into)
  into.cut()
  give(shell, into.pieces, rest, values.get("a"), values.has("N"))
  if (typeof ending === "number") return shell.complain(`read: read error: ${fd}: ${errnoText(ending)}`)
  return ending === "line" ? 0 : ending === "timeout" ? 142 : 1
}

const give = (
  shell: Shell,
  pieces: ReadonlyArray<Piece>,
  names: ReadonlyArray<string>,
  array: string | undefined,
  exact: boolean,
): void => {
  const ifs = shell.variables.get("IFS") ?? " \t\n"
  if (array !== undefined) {
    const sink = new FieldSink(ifs, shell.limits.words)
    for (const { escaped, text } of pieces) {
      if (escaped) sink.add(text, true)
      else sink.split(text)
    }
    sink.end()
    const variable = shell.variables.need(array)
    if (variable.readonly) throw new ShellError(`${array}: readonly variable`)
    variable.value = undefined
    variable.array = new Map(sink.fields.map(({ text }, index) => [index, text]))
    return
  }
  const whole = (): string => pieces.map(({ text }) => text).join("")
  if (names.length === 0) return setByText(shell, "REPLY", whole())
  const fields = exact ? [whole()] : share(pieces, names, ifs)
  for (const [index, name] of names.entries()) setByText(shell, name, fields[index] ?? "")
}

const maps: Builtin = async (shell, args) => {
  const { letters, problem, rest, values } = parseOptions(args, "d:n:O:s:tu:C:c:")
  const [command = ""] = args
  if (problem !== undefined) return shell.complain(`${command}: ${problem}`, 2)
  const [name = "MAPFILE"] = rest
  const real = shell.io.get(Number(values.get("u") ?? 0))
  if (real === undefined) {
    return shell.complain(`${command}: ${values.get("u")}: invalid file descriptor: Bad file descriptor`)
  }
  const limit = Number(values.get("n") ?? 0) || Infinity
  const skip = Number(values.get("s") ?? 0)
  const given = values.get("d")
  const delimiter = given === undefined ? 10 : given.charCodeAt(0) || 0
  const variable = shell.variables.need(name)
  if (variable.readonly) return shell.complain(`${command}: ${name}: readonly variable`)
  if (variable.table !== undefined) return shell.complain(`${command}: ${name}: not an indexed array`)
  const array = values.has("O") ? variable.toArray() : variable.array = new Map()
  variable.value = undefined
  let index = Number(values.get("O") ?? 0)
  for (let line = 0; line < skip + limit; line++) {
    const into = new Collected()
    const ending = await collect(shell, real, {
      raw: true,
      delimiter,
      count: Infinity,
      exact: false,
      deadline: undefined,
    }, into)
    into.cut()
    const text = into.pieces.map((piece) => piece.text).join("")
    if (ending !== "line" && text === "") break
    if (index > shell.limits.words) return shell.complain(`${command}: more than ${shell.limits.words} lines`)
    const full = letters.has("t") || ending !== "line" ? text : text + String.fromCharCode(delimiter)
    if (line >= skip) array.set(index++, full)
    if (ending !== "line") break
  }
  return 0
}

/** By name. */
export const readBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["read", reads],
  ["mapfile", maps],
  ["readarray", maps],
]
