/**
 * Formats the output of `printf` in pieces of bounded size. Source: POSIX printf(1), "File Format Notation"; bash(1) `printf`.
 */
import { readDigits } from "../../../base/integers.ts"
import { maxFormatLength, strftime } from "../../strftime.ts"
import { decodeLossless, encodeLossless } from "../../../base/surrogateEscape.ts"
import { byteCharacter, joinBytes } from "../characters.ts"
import { backslashQuote, readEscape, unescapeText } from "./escapes.ts"
import { type ConversionSpec, formatFloating, formatInteger, pad } from "./formatNumber.ts"

export interface PrintfResult {
  readonly exitCode: number
  readonly problems: ReadonlyArray<string>
}

/** Reads and converts the arguments one after another, and collects error messages. */
class Arguments {
  #at = 0
  readonly problems: Array<string> = []
  readonly #args: ReadonlyArray<string>
  readonly #utf8: boolean

  constructor(args: ReadonlyArray<string>, utf8: boolean) {
    this.#args = args
    this.#utf8 = utf8
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

  integer(unsigned = false): bigint {
    const text = this.text()
    if (text === undefined || text === "") return 0n
    if (/^["']/.test(text)) return BigInt(characterCode(text.slice(1), this.#utf8))
    const found = /^\s*([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)/.exec(text)
    if (found === null || found[0].length !== text.length) {
      this.problems.push(
        `${text}: ${found !== null && /^\s*[-+]?0[0-9]+$/.test(text) ? "invalid octal number" : "invalid number"}`,
      )
    }
    const digits = found?.[2] ?? "0"
    const radix = /^0[xX]/.test(digits) ? 16 : digits.startsWith("0") ? 8 : 10
    // More digits are out of range, however many.
    const magnitude = readDigits(digits.slice(radix === 16 ? 2 : 0), radix) ?? 2n ** 64n
    const value = found?.[1] === "-" ? -magnitude : magnitude
    const [min, max] = unsigned ? [1n - 2n ** 64n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n]
    if (value >= min && value <= max) return BigInt.asIntN(64, value)
    this.problems.push(`warning: ${text}: Numerical result out of range`)
    return value < min && !unsigned ? min : max
  }

  number(): number {
    const text = this.text()
    if (text === undefined || text === "") return 0
    if (/^["']/.test(text)) return characterCode(text.slice(1), this.#utf8)
    const found =
      /^\s*([-+]?)(0[xX][0-9a-fA-F]+|[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?|inf(?:inity)?|nan)/i
        .exec(text)
    if (found === null || found[0].length !== text.length) this.problems.push(`${text}: invalid number`)
    const digits = (found?.[2] ?? "0").toLowerCase()
    const value = digits.startsWith("inf") ? Infinity : Number(digits)
    return found?.[1] === "-" ? -value : value
  }
}

const characterCode = (text: string, utf8: boolean): number => {
  const code = text.codePointAt(0) ?? 0
  if (!utf8) return encodeLossless(text.slice(0, 2))[0] ?? 0
  return code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : code
}

const directive =
  /%(?:%|([-+ 0#']*)(\*|-?\d+)?(?:\.(\*|-?\d+)?)?(?:hh|h|ll|l|j|z|t|L)?(?:([diouxXeEfFgGaAcsbqn])|\(([^)]*)\)(T))|$)?/y

/** Approximate number of characters of a piece of output. */
const pieceLength = 16_384

/** Maximum length of an argument of `%q`: a million characters take half a second to quote, in one piece. */
const maxQuotedLength = 1_048_576

/** Maximum number of backslashes in an argument of `%b`, which is decoded in one piece. */
const maxEscapes = 262_144

const hasMoreEscapes = (text: string, limit: number): boolean => {
  let count = 0
  for (let at = text.indexOf("\\"); at >= 0 && count <= limit; at = text.indexOf("\\", at + 1)) count++
  return count > limit
}

/** The largest `int` of C. */
const maxWidth = 2_147_483_647

/** Differences between the builtin and the utility. Times of `%(…)T` are nanoseconds since 1970. */
export interface PrintfOptions {
  /** Whether `\c` in the format ends the output. */
  readonly formatStops: boolean
  readonly now: () => bigint
  /** The start of the shell: the time of `-2`. */
  readonly started: () => bigint
  readonly zone: string | undefined
  /** Whether the code of `'é` is that of the character; that of its first byte otherwise. */
  readonly utf8: boolean
}

const defaults: PrintfOptions = {
  formatStops: false,
  now: () => 0n,
  started: () => 0n,
  zone: undefined,
  utf8: true,
}

/** Formats arguments and repeats the format while some are left. Yields pieces, so that no field is held in memory whole. */
export function* printf(
  format: string,
  args: ReadonlyArray<string>,
  options: PrintfOptions = defaults,
): Generator<string, PrintfResult, void> {
  const values = new Arguments(args, options.utf8)
  let text = ""
  let exitCode = 0
  const done = function* (): Generator<string, PrintfResult, void> {
    if (text !== "") yield text
    return {
      exitCode: values.problems.some((problem) => !problem.startsWith("warning:")) ? 1 : exitCode,
      problems: values.problems,
    }
  }
  do {
    const before = values.used
    for (let at = 0; at < format.length;) {
      if (text.length >= pieceLength) {
        yield text
        text = ""
      }
      const character = format[at] ?? ""
      if (character === "\\") {
        const escape = readEscape(format, at, { quotes: `"'?`, stop: options.formatStops })
        if (escape === undefined) return yield* done()
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
        return yield* done()
      }
      at += found[0].length
      let flags = found[1] ?? ""
      const number = (given: string | undefined) => given === "*" ? Number(values.integer()) : Number(given ?? 0)
      const width = number(found[2])
      if (width < 0) flags += "-"
      const dot = /\.(\*|-?\d+)?[^.]*$/.test(found[0].replace(/\(.*/, "T")) && /^%[-+ 0#']*(\*|-?\d+)?\./.test(found[0])
      const precision = dot ? number(found[3]) : -1
      if (Math.abs(width) > maxWidth || precision > maxWidth) {
        values.problems.push(`${found[0]}: the field is too wide`)
        return yield* done()
      }
      const spec: ConversionSpec = { flags, width: Math.abs(width), precision: precision < 0 ? undefined : precision }
      if (spec.width > pieceLength || (precision > pieceLength && "diouxXeEfFgGaA".includes(letter))) {
        if (text !== "") yield text
        text = ""
        const stops = yield* wideField(spec, letter, values, found[5] ?? "", options)
        if (stops) return yield* done()
        continue
      }
      const printed = fieldOf(spec, letter, values, found[5] ?? "", options)
      text += printed.text
      if (printed.stops) return yield* done()
    }
    if (values.used === before) break
  } while (values.left)
  return yield* done()
}

/** Formats one field; `stops` if `\c` in its text ends the output. */
const fieldOf = (
  spec: ConversionSpec,
  letter: string,
  values: Arguments,
  timeFormat: string,
  options: PrintfOptions,
): { readonly text: string; readonly stops: boolean } => {
  const cut = (value: string): string => spec.precision === undefined ? value : cutTo(value, spec.precision)
  const plain = (text: string) => ({ text, stops: false })
  switch (letter) {
    case "s":
      return plain(padText(cut(values.text() ?? ""), spec))
    case "c":
      return plain(padText(firstCharacter(values.text() ?? ""), spec))
    case "q": {
      const word = values.text() ?? ""
      if (word.length <= maxQuotedLength) return plain(padText(cut(backslashQuote(word)), spec))
      values.problems.push(`%q: the argument is longer than ${maxQuotedLength} characters`)
      return { text: "", stops: true }
    }
    case "b": {
      const word = values.text() ?? ""
      if (hasMoreEscapes(word, maxEscapes)) {
        values.problems.push(`%b: the argument has more than ${maxEscapes} backslashes`)
        return { text: "", stops: true }
      }
      const escaped = unescapeText(word, { zeroOctal: true, quotes: `"'?`, stop: true })
      return { text: padText(cut(joinBytes(escaped.text)), spec), stops: escaped.stopped }
    }
    case "T": {
      if (timeFormat.length > maxFormatLength) {
        values.problems.push(`%T: the format is longer than ${maxFormatLength} characters`)
        return { text: "", stops: true }
      }
      const given = values.left ? values.integer() : -1n
      const time = given === -1n ? options.now() : given === -2n ? options.started() : given * 1_000_000_000n
      return plain(padText(cut(strftime(timeFormat === "" ? "%X" : timeFormat, time, options.zone)), spec))
    }
    case "n":
      values.text()
      return plain("")
    default:
      return plain(
        "diouxX".includes(letter)
          ? formatInteger(values.integer("ouxX".includes(letter)), letter, spec)
          : formatFloating(values.number(), letter, {
            ...spec,
            precision: spec.precision && Math.min(spec.precision, 100),
          }),
      )
  }
}

/** Formats a wide field; yields its padding in pieces. */
function* wideField(
  spec: ConversionSpec,
  letter: string,
  values: Arguments,
  timeFormat: string,
  options: PrintfOptions,
): Generator<string, boolean, void> {
  const whole = "diouxX".includes(letter)
  const digits = whole && (spec.precision ?? 0) > pieceLength ? spec.precision ?? 0 : 0
  const narrow = { ...spec, width: 0, precision: digits > 0 ? undefined : spec.precision }
  const { stops, text } = fieldOf(narrow, letter, values, timeFormat, options)
  const sign = "scqbT".includes(letter) ? "" : /^(?:[-+ ]?0[xX]|[-+ ])/.exec(text)?.[0] ?? ""
  const missing = Math.max(0, spec.width - encodeLossless(text).length)
  const left = spec.flags.includes("-")
  const fills = !left && spec.flags.includes("0") && sign !== text && !"scqbT".includes(letter) &&
    (!whole || spec.precision === undefined) && /[0-9]/.test(text)
  const zeros = digits > 0 ? Math.max(0, digits - (text.length - sign.length)) : fills ? missing : 0
  const spaces = Math.max(0, missing - zeros)
  if (!left) yield* filled(" ", spaces)
  if (sign !== "") yield sign
  yield* filled("0", zeros)
  if (text.length > sign.length) yield text.slice(sign.length)
  if (left) yield* filled(" ", spaces)
  return stops
}

function* filled(character: string, count: number): Generator<string, void, void> {
  for (let left = count; left > 0; left -= pieceLength) yield character.repeat(Math.min(left, pieceLength))
}

/** Pads to a width in bytes, as POSIX requires. */
const padText = (text: string, spec: ConversionSpec): string =>
  pad(text, { ...spec, width: spec.width + text.length - encodeLossless(text).length })

/** Returns the first byte of a text for `%c`, which prints a byte as in C. */
const firstCharacter = (text: string): string => {
  const byte = encodeLossless(text.slice(0, 2))[0]
  return byteCharacter(byte ?? 0)
}

/** Cuts a text to a number of bytes; a character that is cut leaves single bytes. */
const cutTo = (text: string, count: number): string => {
  const bytes = encodeLossless(text)
  return bytes.length <= count ? text : decodeLossless(bytes.subarray(0, count))
}
