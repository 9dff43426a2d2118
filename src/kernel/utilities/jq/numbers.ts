/** Formats and parses numbers as jq does: the shortest digits of doubles, literals as decNumber writes them. */

/** The shortest decimal text of a double in the notation of jq: `1e+17`, `1e-05`, `null` for NaN. */
export const formatNumber = (value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return Object.is(value, -0) ? "-0" : String(value)
  if (Number.isNaN(value)) return "null"
  if (!Number.isFinite(value)) return value > 0 ? "1.7976931348623157e+308" : "-1.7976931348623157e+308"
  const [, sign = "", first = "", rest = "", exponent = "0"] =
    /^(-?)(\d)\.?(\d*)e([+-]\d+)$/.exec(value.toExponential()) ?? []
  const digits = first + rest
  const point = Number(exponent) + 1
  if (point <= -4 || point > digits.length + 15) {
    const power = Math.abs(point - 1)
    return `${sign}${first}${rest === "" ? "" : `.${rest}`}e${point < 1 ? "-" : "+"}${power < 10 ? "0" : ""}${power}`
  }
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits + "0".repeat(point - digits.length)
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

const literal = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/** The text that decNumber writes for a literal. Source: General Decimal Arithmetic, "to-scientific-string". */
const formatLiteral = (sign: string, whole: string, fraction: string, exponent: number): string => {
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "")
  const scale = exponent - fraction.length
  const adjusted = scale + digits.length - 1
  if (scale <= 0 && adjusted >= -6) {
    if (scale === 0) return sign + digits
    const point = digits.length + scale
    return point > 0
      ? `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
      : `${sign}0.${"0".repeat(-point)}${digits}`
  }
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : ""
  return `${sign}${digits[0] ?? "0"}${rest}E${adjusted < 0 ? "-" : "+"}${Math.abs(adjusted)}`
}

/** A literal: its double, and its text if the double prints otherwise. `undefined` for what is no number. */
export const parseNumber = (text: string): readonly [value: number, text: string | undefined] | undefined => {
  const parts = literal.exec(text)
  if (parts === null) {
    if (/^[+-]?nan\d*$/i.test(text)) return [NaN, undefined]
    const infinite = /^([+-]?)inf(?:inity)?$/i.exec(text)
    return infinite === null ? undefined : [infinite[1] === "-" ? -Infinity : Infinity, undefined]
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts
  if (whole === "" && fraction === "") return undefined
  const value = Number(text)
  const shown = formatLiteral(sign === "-" ? "-" : "", whole, fraction, Number(exponent))
  // Longer numbers may differ although their doubles are equal.
  return [value, whole.length + fraction.length < 16 && shown === formatNumber(value) ? undefined : shown]
}
