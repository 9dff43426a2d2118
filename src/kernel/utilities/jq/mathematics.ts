/** Implements the functions of numbers that jq takes from C. Source: math.h. */

/** A number of [0.5, 1) and an exponent of two. */
export const frexp = (value: number): readonly [fraction: number, exponent: number] => {
  if (value === 0 || !Number.isFinite(value)) return [value, 0]
  let exponent = Math.max(-1022, Math.floor(Math.log2(Math.abs(value))) + 1)
  let fraction = value * 2 ** -exponent
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2
    exponent--
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2
    exponent++
  }
  return [fraction, exponent]
}

/** A number times a power of two, without overflow on the way. */
export const ldexp = (value: number, exponent: number): number => {
  const clamped = Math.max(-2200, Math.min(2200, Math.trunc(exponent)))
  const part = Math.trunc(clamped / 3)
  return value * 2 ** part * 2 ** part * 2 ** (clamped - 2 * part)
}

const lanczos = [
  ...[0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059],
  ...[12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7],
]

/** The gamma function. Source: Lanczos approximation. */
export const gamma = (value: number): number => {
  if (Number.isInteger(value) && value > 0 && value < 171) {
    let product = 1
    for (let factor = 2; factor < value; factor++) product *= factor
    return product
  }
  if (value < 0.5) return Math.PI / (Math.sin(Math.PI * value) * gamma(1 - value))
  const x = value - 1
  const t = x + 7.5
  let sum = lanczos[0] ?? 1
  for (let at = 1; at < 9; at++) sum += (lanczos[at] ?? 0) / (x + at)
  return Math.sqrt(2 * Math.PI) * t ** (x + 0.5) * Math.exp(-t) * sum
}

export const lgamma = (value: number): number => {
  if (value === 1 || value === 2) return 0
  if (value < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * value))) - lgamma(1 - value)
  if (value < 100) return Math.log(Math.abs(gamma(value)))
  const square = value * value
  return (value - 0.5) * Math.log(value) - value + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * value) -
    1 / (360 * value * square) + 1 / (1260 * value * square * square)
}

/** The nearest integer; of two the even one. */
export const rint = (value: number): number => {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 52) return value
  const low = Math.floor(value)
  const difference = value - low
  const result = difference < 0.5 ? low : difference > 0.5 ? low + 1 : low % 2 === 0 ? low : low + 1
  return result === 0 && (value < 0 || Object.is(value, -0)) ? -0 : result
}

/** The nearest integer; halves away from zero. */
export const round = (value: number): number => Math.sign(value) * Math.floor(Math.abs(value) + 0.5)

/** The remainder with the nearest quotient. */
export const remainder = (a: number, b: number): number => {
  if (!Number.isFinite(a) || b === 0) return NaN
  if (!Number.isFinite(b)) return a
  const rest = Math.abs(a % b)
  const divisor = Math.abs(b)
  const isOdd = Math.abs(a % (2 * divisor)) >= divisor
  const nearest = rest > divisor / 2 || rest === divisor / 2 && isOdd ? rest - divisor : rest
  return a < 0 ? -nearest : nearest
}

const bits = new DataView(new ArrayBuffer(8))

/** The next double towards another one. */
export const nextAfter = (from: number, to: number): number => {
  if (Number.isNaN(from) || Number.isNaN(to)) return NaN
  if (from === to) return to
  if (from === 0) return to > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE
  bits.setFloat64(0, from)
  bits.setBigInt64(0, bits.getBigInt64(0) + (from < to === from > 0 ? 1n : -1n))
  return bits.getFloat64(0)
}

/** The integer exponent of a number. */
export const logb = (value: number): number =>
  value === 0 ? -Infinity : Number.isFinite(value) ? frexp(value)[1] - 1 : Math.abs(value)

export const significand = (value: number): number =>
  value === 0 || !Number.isFinite(value) ? value : frexp(value)[0] * 2

export const unary: Readonly<Record<string, (value: number) => number>> = {
  ...{ floor: Math.floor, sqrt: Math.sqrt, ceil: Math.ceil, trunc: Math.trunc, fabs: Math.abs, cbrt: Math.cbrt },
  ...{ sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan },
  ...{ sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, asinh: Math.asinh, acosh: Math.acosh, atanh: Math.atanh },
  ...{ exp: Math.exp, expm1: Math.expm1, log: Math.log, log2: Math.log2, log10: Math.log10, log1p: Math.log1p },
  ...{ exp2: (value) => 2 ** value, exp10: (value) => 10 ** value, pow10: (value) => 10 ** value },
  ...{ round, rint, nearbyint: rint, logb, significand, gamma: lgamma, lgamma, tgamma: gamma },
}

export const binary: Readonly<Record<string, (a: number, b: number) => number>> = {
  ...{ atan2: Math.atan2, hypot: (a, b) => Math.hypot(a, b), fmod: (a, b) => a % b, remainder, drem: remainder },
  pow: (a, b) => a === 1 || b === 0 ? 1 : a === -1 && Math.abs(b) === Infinity ? 1 : a ** b,
  ...{ ldexp, scalb: ldexp, scalbln: ldexp, nextafter: nextAfter, nexttoward: nextAfter },
  fmin: (a, b) => Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b),
  fmax: (a, b) => Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b),
  fdim: (a, b) => a > b ? a - b : Number.isNaN(a + b) ? NaN : 0,
  copysign: (a, b) => b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a),
}
