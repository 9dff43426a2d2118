/** Formats a number as SQLite's `%!.15g`: with a point, and an exponent where it is large or small. Source: sqlite.org/printf.html. */
export const formatReal = (value: number, digits: number): string => {
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf"
  if (value === 0) return "0.0"
  const [, mantissa = "", exponent = "0"] = /^-?([\d.]+)e([+-]\d+)$/.exec(value.toExponential(digits - 1)) ?? []
  const sign = value < 0 ? "-" : ""
  const trim = (number: string): string => number.replace(/0+$/, "").replace(/\.$/, ".0")
  const power = Number(exponent)
  if (power < -4 || power >= digits) {
    return `${sign}${trim(mantissa)}e${power < 0 ? "-" : "+"}${`${Math.abs(power)}`.padStart(2, "0")}`
  }
  const plain = Math.abs(value).toPrecision(digits)
  return sign + (plain.includes(".") ? trim(plain) : `${plain}.0`)
}
