/** Implements decimal numbers of any length with a number of digits after the point, as in bc(1). */
import type { Coroutine } from "../../Coroutine.ts"

/** `digits / 10 ** scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

export class DecimalError extends Error {}

/** Maximum digits of a number: operations take quadratic time. */
export const maxDigits = 20_000

const power = (scale: number): bigint => 10n ** BigInt(scale)

export const decimal = (value: number | bigint): Decimal => ({ digits: BigInt(value), scale: 0 })

const check = (value: Decimal): Decimal => {
  const limit = maxDigits * 4
  // A hexadecimal digit is four bits: cheaper than the decimal digits.
  if (value.scale > maxDigits || (value.digits >= 0n ? value.digits : -value.digits) >> BigInt(limit) > 0n) {
    throw new DecimalError(`numbers of more than ${maxDigits} digits are not supported`)
  }
  return value
}

/** Truncates or extends the digits after the point. */
export const withScale = ({ digits, scale }: Decimal, to: number): Decimal =>
  to === scale
    ? { digits, scale }
    : { digits: to > scale ? digits * power(to - scale) : digits / power(scale - to), scale: to }

export const compare = (a: Decimal, b: Decimal): number => {
  const scale = Math.max(a.scale, b.scale)
  const [one, two] = [withScale(a, scale).digits, withScale(b, scale).digits]
  return one < two ? -1 : one > two ? 1 : 0
}

export const add = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale)
  return check({ digits: withScale(a, scale).digits + withScale(b, scale).digits, scale })
}

export const negate = ({ digits, scale }: Decimal): Decimal => ({ digits: -digits, scale })

export const multiply = (a: Decimal, b: Decimal, scale: number): Decimal => {
  const full = check({ digits: a.digits * b.digits, scale: a.scale + b.scale })
  return withScale(full, Math.min(full.scale, Math.max(scale, a.scale, b.scale)))
}

export const divide = (a: Decimal, b: Decimal, scale: number): Decimal => {
  if (b.digits === 0n) throw new DecimalError("Divide by zero")
  check({ digits: 0n, scale })
  return { digits: a.digits * power(scale + b.scale) / (b.digits * power(a.scale)), scale }
}

export const remainder = (a: Decimal, b: Decimal, scale: number): Decimal => {
  const quotient = divide(a, b, scale)
  const whole = Math.max(scale + b.scale, a.scale)
  return withScale(add(a, negate(multiply(quotient, b, quotient.scale + b.scale))), whole)
}

export const raise = (a: Decimal, exponent: Decimal, scale: number): Decimal => {
  const times = exponent.digits / power(exponent.scale)
  const size = times < 0n ? -times : times
  const length = (a.digits < 0n ? -a.digits : a.digits).toString(16).length
  if (Number(size) * length > maxDigits * 2) {
    throw new DecimalError(`numbers of more than ${maxDigits} digits are not supported`)
  }
  const full = { digits: a.digits ** size, scale: a.scale * Number(size) }
  if (times < 0n) return divide(decimal(1), full, scale)
  return withScale(full, Math.min(full.scale, Math.max(scale, a.scale)))
}

export const squareRoot = (a: Decimal, scale: number): Decimal => {
  if (a.digits < 0n) throw new DecimalError("Square root of a negative number")
  const to = Math.max(scale, a.scale)
  const value = check({ digits: 0n, scale: to }) && withScale(a, 2 * to).digits
  if (value < 2n) return { digits: value, scale: to }
  let root = 1n << BigInt((value.toString(16).length * 4 + 2) >> 1)
  for (;;) {
    const next = root + value / root >> 1n
    if (next >= root) return { digits: root, scale: to }
    root = next
  }
}

export const parseDecimal = (text: string, base: number): Decimal => {
  const [whole = "", fraction = ""] = text.split(".")
  const digitOf = (letter: string): bigint => {
    const value = "0123456789ABCDEF".indexOf(letter)
    // A single digit may exceed the base; each of several digits counts at most base - 1.
    return BigInt(text.length > 1 ? Math.min(value, base - 1) : value)
  }
  if (text.length > maxDigits) throw new DecimalError(`numbers of more than ${maxDigits} digits are not supported`)
  if (base === 10 && /^[0-9]*$/.test(whole + fraction)) {
    return { digits: BigInt(whole + fraction || "0"), scale: fraction.length }
  }
  let digits = 0n
  for (const letter of whole + fraction) digits = digits * BigInt(base) + digitOf(letter)
  return withScale({
    digits: digits * power(fraction.length) / BigInt(base) ** BigInt(fraction.length),
    scale: fraction.length,
  }, fraction.length)
}

/** Number of digits between two yields, each of which takes up to 0.1 ms. */
const digitsPerYield = 16

/** Number of digits, those after the point included. */
export const countDigits = ({ digits, scale }: Decimal): number =>
  Math.max((digits < 0n ? -digits : digits).toString().length, scale, 1)

/** Formats a number. In a base other than 10 each digit of a long number takes a division of the whole number. */
export function* formatDecimal(value: Decimal, base: number): Coroutine<string> {
  const sign = value.digits < 0n ? "-" : ""
  const digits = value.digits < 0n ? -value.digits : value.digits
  if (digits === 0n) return "0"
  if (base === 10) {
    const text = digits.toString().padStart(value.scale, "0")
    const at = text.length - value.scale
    return sign + text.slice(0, at) + (value.scale > 0 ? `.${text.slice(at)}` : "")
  }
  const unit = power(value.scale)
  let out = digits / unit === 0n ? "" : yield* formatWhole(digits / unit, base)
  if (value.scale === 0) return sign + out
  out += "."
  let fraction = digits % unit
  // As many digits as give the same precision.
  for (let [reached, count] = [1n, 1]; reached < unit; reached *= BigInt(base), count++) {
    if (count % digitsPerYield === 0) yield
    fraction *= BigInt(base)
    const digit = fraction / unit
    fraction %= unit
    out += base <= 16 ? digit.toString(base).toUpperCase() : ` ${digit}`
  }
  return sign + out
}

function* formatWhole(number: bigint, base: number): Coroutine<string> {
  if (base <= 16) return number.toString(base).toUpperCase()
  const parts: Array<string> = []
  for (let left = number; left > 0n; left /= BigInt(base)) {
    if (parts.push(` ${String(left % BigInt(base)).padStart(`${base - 1}`.length, "0")}`) % digitsPerYield === 0) yield
  }
  return parts.reverse().join("")
}
