/**
 * What `printf` prints.
 *
 * Source: POSIX printf(1), "File Format Notation"; bash(1) `printf`.
 *
 * @module
 */
import { byteCharacter, characters, encode, joined } from "../text.ts"
import { quoteWord, readEscape, unescapeText } from "./escapes.ts"
import { formatTime } from "./formatTime.ts"

/** The output, the exit code, and what there is to say on stderr. */
export interface Printed {
  readonly text: string
  readonly exitCode: number
  readonly problems: ReadonlyArray<string>
}

interface Spec {
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
}

/** No field is wider: a width comes from the script. */
const maximumWidth = 1 << 20

const pad = (text: string, spec: Spec, zeros = false): string => {
  const missing = spec.width - text.length
  if (missing <= 0) return text
  if (spec.flags.includes("-")) return text + " ".repeat(missing)
  if (!zeros || !spec.flags.includes("0")) return " ".repeat(missing) + text
  const sign = /^(?:[-+ ]?0[xX]|[-+ ])/.exec(text)?.[0] ?? ""
  return sign + "0".repeat(missing) + text.slice(sign.length)
}

const signed = (negative: boolean, digits: string, flags: string): string =>
  (negative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + digits

const integer = (value: bigint, letter: string, spec: Spec): string => {
  const decimal = letter === "d" || letter === "i"
  const magnitude = decimal ? (value < 0n ? -value : value) : BigInt.asUintN(64, value)
  const base = letter === "o" ? 8 : letter === "x" || letter === "X" ? 16 : 10
  let digits = magnitude.toString(base)
  if (letter === "X") digits = digits.toUpperCase()
  if (spec.precision === 0 && magnitude === 0n) digits = ""
  if (spec.precision !== undefined) digits = digits.padStart(spec.precision, "0")
  if (spec.flags.includes("#") && magnitude !== 0n) {
    if (letter === "o" && !digits.startsWith("0")) digits = `0${digits}`
    else if (base === 16) digits = `0${letter}${digits}`
  }
  return pad(decimal ? signed(value < 0n, digits, spec.flags) : digits, spec, spec.precision === undefined)
}

/** Rounds a half to even, as C does; JavaScript rounds it up. A half that is exact shows as 5 and zeros. */
const toEven = (value: number, precision: number, write: (value: number, digits: number) => string): string => {
  const digits = Math.min(precision, 100)
  const rounded = write(value, digits)
  if (digits > 70) return rounded
  const longer = write(value, digits + 30)
  const [mantissa = "", exponent = ""] = longer.split("e")
  if (!/50{29}$/.test(mantissa)) return rounded
  const cut = mantissa.slice(0, -30).replace(/\.$/, "")
  return "02468".includes(cut.at(-1) ?? "") ? cut + (exponent === "" ? "" : `e${exponent}`) : rounded
}

const exponential = (value: number, precision: number): string =>
  toEven(value, precision, (given, digits) => given.toExponential(digits)).replace(/e([+-])(\d)$/, "e$10$2")

const fixed = (value: number, precision: number): string =>
  value < 1e21
    ? toEven(value, precision, (given, digits) => given.toFixed(digits))
    : BigInt(value) + (precision > 0 ? `.${"0".repeat(precision)}` : "")

const general = (value: number, precision: number, alternate: boolean): string => {
  const digits = precision === 0 ? 1 : precision
  const exponent = value === 0 ? 0 : Number(exponential(value, digits - 1).split("e")[1])
  const text = exponent < -4 || exponent >= digits
    ? exponential(value, digits - 1)
    : fixed(value, digits - 1 - exponent)
  if (alternate) return text
  const [mantissa = "", power] = text.split("e")
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa
  return power === undefined ? short : `${short}e${power}`
}

const floating = (value: number, letter: string, spec: Spec): string => {
  const kind = letter.toLowerCase()
  const magnitude = Math.abs(value)
  const negative = value < 0 || Object.is(value, -0)
  let text = "nan"
  if (magnitude === Infinity) text = "inf"
  else if (!Number.isNaN(value)) {
    const precision = spec.precision ?? 6
    text = kind === "f"
      ? fixed(magnitude, precision)
      : kind === "e"
      ? exponential(magnitude, precision)
      : kind === "g"
      ? general(magnitude, precision, spec.flags.includes("#"))
      : hexadecimal(magnitude)
  }
  if (spec.flags.includes("#") && kind !== "a" && Number.isFinite(value) && !text.includes(".")) {
    text = text.replace(/(?=e|$)/, ".")
  }
  if (letter !== kind) text = text.toUpperCase()
  return pad(signed(negative, text, spec.flags), spec, Number.isFinite(value))
}

const hexadecimal = (value: number): string => {
  if (value === 0) return "0x0p+0"
  let exponent = Math.floor(Math.log2(value))
  let mantissa = value / 2 ** exponent
  if (mantissa >= 2) [mantissa, exponent] = [mantissa / 2, exponent + 1]
  let digits = ""
  for (let rest = mantissa - 1; rest > 0; rest = rest * 16 - Math.floor(rest * 16)) {
    digits += Math.floor(rest * 16).toString(16)
  }
  return `0x1${digits === "" ? "" : `.${digits}`}p${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`
}

/** The arguments, and what was wrong with them. */
class Arguments {
  #at = 0
  readonly problems: Array<string> = []
  readonly #args: ReadonlyArray<string>

  constructor(args: ReadonlyArray<string>) {
    this.#args = args
  }

  get left(): boolean {
    return this.#at < this.#args.length
  }

  get used(): number {
    return this.#at
  }

  text(): string | undefined {
    return this.#args[this.#at++]
  }

  integer(): bigint {
    const text = this.text()
    if (text === undefined || text === "") return 0n
    if (/^["']/.test(text)) return BigInt(characterCode(text.slice(1)))
    const found = /^\s*([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)/.exec(text)
    if (found === null || found[0].length !== text.length) {
      this.problems.push(
        `${text}: ${found !== null && /^\s*[-+]?0[0-9]+$/.test(text) ? "invalid octal number" : "invalid number"}`,
      )
    }
    const digits = found?.[2] ?? "0"
    const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits)
    const value = found?.[1] === "-" ? -magnitude : magnitude
    const [least, most] = [-(2n ** 63n), 2n ** 64n - 1n]
    if (value >= least && value <= most) return BigInt.asIntN(64, value)
    this.problems.push(`warning: ${text}: Numerical result out of range`)
    return value < least ? least : 2n ** 63n - 1n
  }

  number(): number {
    const text = this.text()
    if (text === undefined || text === "") return 0
    if (/^["']/.test(text)) return characterCode(text.slice(1))
    const found =
      /^\s*([-+]?)(0[xX][0-9a-fA-F]+|[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?|inf(?:inity)?|nan)/i
        .exec(text)
    if (found === null || found[0].length !== text.length) this.problems.push(`${text}: invalid number`)
    const digits = (found?.[2] ?? "0").toLowerCase()
    const value = digits.startsWith("inf") ? Infinity : Number(digits)
    return found?.[1] === "-" ? -value : value
  }
}

const characterCode = (text: string): number => {
  const code = text.codePointAt(0) ?? 0
  return code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : code
}

const directive =
  /%(?:%|([-+ 0#']*)(\*|-?\d+)?(?:\.(\*|-?\d+)?)?(?:hh|h|ll|l|j|z|t|L)?(?:([diouxXeEfFgGaAcsbqn])|\(([^)]*)\)(T))|$)?/y

/** Formats its arguments, the format again and again while there are some left. */
export const printf = (format: string, args: ReadonlyArray<string>, now: () => bigint = () => 0n): Printed => {
  const values = new Arguments(args)
  let text = ""
  let exitCode = 0
  const done = (): Printed => ({
    text: joined(text),
    exitCode: values.problems.some((problem) => !problem.startsWith("warning:")) ? 1 : exitCode,
    problems: values.problems,
  })
  do {
    const before = values.used
    for (let at = 0; at < format.length;) {
      const character = format[at] ?? ""
      if (character === "\\") {
        const escape = readEscape(format, at, { quotes: `"'?`, stop: true })
        if (escape === undefined) return done()
        text += escape[0]
        at += escape[1]
        continue
      }
      if (character !== "%") {
        const next = format.slice(at).search(/[\\%]/)
        text += next < 0 ? format.slice(at) : format.slice(at, at + next)
        at = next < 0 ? format.length : at + next
        continue
      }
      directive.lastIndex = at
      const found = directive.exec(format)
      const letter = found?.[4] ?? found?.[6]
      if (found?.[0] === "%%") {
        text += "%"
        at += 2
        continue
      }
      if (found === null || letter === undefined) {
        values.problems.push(
          at + 1 >= format.length || found === null
            ? `\`%': missing format character`
            : `\`${format[at + found[0].length] ?? "%"}': invalid format character`,
        )
        exitCode = 1
        return done()
      }
      at += found[0].length
      let flags = found[1] ?? ""
      const number = (given: string | undefined) => given === "*" ? Number(values.integer()) : Number(given ?? 0)
      const width = number(found[2])
      if (width < 0) flags += "-"
      const dot = /\.(\*|-?\d+)?[^.]*$/.test(found[0].replace(/\(.*/, "T")) && /^%[-+ 0#']*(\*|-?\d+)?\./.test(found[0])
      const precision = dot ? number(found[3]) : -1
      const spec: Spec = {
        flags,
        width: Math.min(Math.abs(width), maximumWidth),
        precision: precision < 0 ? undefined : Math.min(precision, maximumWidth),
      }
      const cut = (value: string): string => spec.precision === undefined ? value : cutTo(value, spec.precision)
      if (letter === "s") text += padText(cut(values.text() ?? ""), spec)
      else if (letter === "c") text += padText(firstCharacter(values.text() ?? ""), spec)
      else if (letter === "q") text += padText(cut(quoteWord(values.text() ?? "")), spec)
      else if (letter === "b") {
        const escaped = unescapeText(values.text() ?? "", { zeroOctal: true, quotes: `"'?`, stop: true })
        text += padText(cut(joined(escaped.text)), spec)
        if (escaped.stopped) return done()
      } else if (letter === "T") {
        const given = values.left ? values.integer() : -1n
        const seconds = given < 0n ? Number(now() / 1_000_000_000n) : Number(given)
        text += padText(formatTime(found[5] === "" ? "%X" : found[5] ?? "", seconds), spec)
      } else if (letter === "n") values.text()
      else if ("diouxX".includes(letter)) text += integer(values.integer(), letter, spec)
      else text += floating(values.number(), letter, spec)
    }
    if (values.used === before) break
  } while (values.left)
  return done()
}

const padText = (text: string, spec: Spec): string => {
  const count = characters(text).length
  return pad(text, { ...spec, width: spec.width + text.length - count })
}

/** `%c` prints a byte, as the C function does; of text that is a character here when it is ASCII. */
const firstCharacter = (text: string): string => {
  const byte = encode(text.slice(0, 2))[0]
  return byte === undefined ? "" : byteCharacter(byte)
}

const cutTo = (text: string, count: number): string => {
  const units = characters(text)
  return typeof units === "string" ? text.slice(0, count) : Array.from(text).slice(0, count).join("")
}
