/** Formats integers and floating-point numbers, and pads text, as the conversions of printf(3) do. */
export interface ConversionSpec {
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
}

export const pad = (text: string, spec: ConversionSpec, zeros = false): string => {
  const missing = spec.width - text.length
  if (missing <= 0) return text
  if (spec.flags.includes("-")) return text + " ".repeat(missing)
  if (!zeros || !spec.flags.includes("0")) return " ".repeat(missing) + text
  const sign = /^(?:[-+ ]?0[xX]|[-+ ])/.exec(text)?.[0] ?? ""
  return sign + "0".repeat(missing) + text.slice(sign.length)
}

const addSign = (negative: boolean, digits: string, flags: string): string =>
  (negative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + digits

/** Formats an integer: `%d`, `%o`, `%x` and the others. */
export const formatInteger = (value: bigint, letter: string, spec: ConversionSpec): string => {
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
  return pad(decimal ? addSign(value < 0n, digits, spec.flags) : digits, spec, spec.precision === undefined)
}

/** Rounds a half to even, as C does, where JavaScript rounds up. An exact half is a 5 followed by zeros. */
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

const fixed = (value: number, precision: number): string => {
  if (value >= 1e21) return BigInt(value) + (precision > 0 ? `.${"0".repeat(precision)}` : "")
  // An exact half of the last digit makes this an odd integer, which a number holds exactly up to here.
  const halves = value * 2 * 10 ** precision
  if (precision <= 22 && halves < 2 ** 53 && halves % 2 !== 1) return value.toFixed(precision)
  return toEven(value, precision, (given, digits) => given.toFixed(digits))
}

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

/** Formats a floating-point number: `%f`, `%e`, `%g` and `%a`. */
export const formatFloating = (value: number, letter: string, spec: ConversionSpec): string => {
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
  return pad(addSign(negative, text, spec.flags), spec, Number.isFinite(value))
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
