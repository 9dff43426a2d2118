/** Formats values by a format of `printf`. Source: POSIX.1-2024 "awk", printf(3). */
import { formatFloating, formatInteger, pad } from "../../shell/builtins/formatNumber.ts"
import { textToBinary } from "../../binaryString.ts"
import { characterOffset, countCharacters, NumericText, type Scalar, toNumber } from "./values.ts"

export interface FormatContext {
  readonly utf8: boolean
  readonly textOf: (value: Scalar) => string
  readonly fail: (message: string) => never
}

const conversion = /%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(?:hh|ll|[hlLqjzt])?(.)/gs

/** Maximum width and precision: more would only fill memory. */
const maxWidth = 1_000_000

const characterFor = (value: Scalar, utf8: boolean, text: string): string => {
  if (typeof value !== "number" && !(value instanceof NumericText)) return text.slice(0, characterOffset(text, 1, utf8))
  const code = Math.trunc(toNumber(value))
  if (utf8 && code > 127 && code <= 0x10ffff) return textToBinary(String.fromCodePoint(code))
  return String.fromCharCode(code & 255)
}

/** Pads to a width that counts characters. */
const padText = (text: string, flags: string, width: number, utf8: boolean): string => {
  const spec = { flags, width: width + text.length - countCharacters(text, utf8), precision: undefined }
  return pad(text, spec)
}

/** Formats values; a binary string. */
export const format = (
  template: string,
  values: ReadonlyArray<Scalar>,
  { fail, textOf, utf8 }: FormatContext,
): string => {
  let next = 0
  const bounded = (given: number): number =>
    Math.abs(given) <= maxWidth ? given : fail(`a width of ${given} in a format: at most ${maxWidth}`)
  const starOr = (given: string | undefined): number | undefined =>
    given === undefined ? undefined : bounded(given === "*" ? Math.trunc(toNumber(values[next++])) : Number(given))
  return template.replace(
    conversion,
    (all: string, given: string, star: string | undefined, dot: string | undefined, letter: string) => {
      if (letter === "%") return "%"
      let flags = given
      let width = starOr(star) ?? 0
      if (width < 0) {
        flags += "-"
        width = -width
      }
      const hasPrecision = all.includes(".")
      const asked = hasPrecision ? starOr(dot) ?? 0 : undefined
      const precision = asked !== undefined && asked < 0 ? undefined : asked
      if (!"cdiouxXeEfFgGaAs".includes(letter)) return all
      if (next >= values.length) fail(`the format '${template}' has more conversions than there are values`)
      const value = values[next++]
      const spec = { flags, width, precision }
      if (letter === "s") {
        const text = textOf(value)
        return padText(
          precision === undefined ? text : text.slice(0, characterOffset(text, precision, utf8)),
          flags,
          width,
          utf8,
        )
      }
      if (letter === "c") return padText(characterFor(value, utf8, textOf(value)), flags, width, utf8)
      const number = toNumber(value)
      if (!"diouxX".includes(letter)) return formatFloating(number, letter, spec)
      if (!Number.isFinite(number)) return padText(textOf(number), flags, width, utf8)
      const whole = Math.trunc(number)
      // As in gawk, a number that C's integer types cannot hold is shown as a floating-point number.
      if (whole < 0 && letter !== "d" && letter !== "i") return formatFloating(number, "g", spec)
      return formatInteger(BigInt(whole), letter, spec)
    },
  )
}
