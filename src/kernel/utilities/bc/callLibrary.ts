/** The functions of `bc -l`. */
import {
  add,
  compare,
  type Decimal,
  decimal,
  DecimalError,
  divide,
  multiply,
  negate,
  squareRoot,
  withScale,
} from "./Decimal.ts"

/** Maximum digits after the point: the series take quadratic time. */
const maxScale = 2_000

const isSmall = (term: Decimal): boolean => term.digits === 0n

/** Sums terms until they are zero. `next` makes a term of the one before and its number. */
const sum = async (
  first: Decimal,
  next: (term: Decimal, index: number) => Decimal,
  pause: () => Promise<void> | void,
): Promise<Decimal> => {
  let total = first
  let term = first
  for (let index = 1; !isSmall(term); index++) {
    term = next(term, index)
    total = add(total, term)
    if (index % 16 === 0) await pause()
  }
  return total
}

const exponential = async (x: Decimal, scale: number, pause: () => Promise<void> | void): Promise<Decimal> => {
  if (compare(x, decimal(100_000)) > 0) throw new DecimalError("the argument of e is too large")
  // e(x) = e(x / 2^n)^(2^n), whose series converges fast.
  let halvings = 0
  let small = withScale(x, scale + 10)
  while (compare(small.digits < 0n ? negate(small) : small, decimal(1)) > 0) {
    small = divide(small, decimal(2), scale + 10 + halvings)
    halvings++
  }
  const work = scale + 10 + Math.ceil(Number(x.digits / 10n ** BigInt(x.scale)) * 0.5) + halvings
  small = divide(x, { digits: 1n << BigInt(halvings), scale: 0 }, work)
  let result = await sum(
    withScale(decimal(1), work),
    (term, index) => divide(multiply(term, small, work), decimal(index), work),
    pause,
  )
  for (; halvings > 0; halvings--) {
    result = multiply(result, result, work)
    await pause()
  }
  return result
}

const logarithm = async (x: Decimal, scale: number, pause: () => Promise<void> | void): Promise<Decimal> => {
  const work = scale + 10
  if (x.digits <= 0n) return { digits: 1n - 10n ** BigInt(scale), scale: 0 }
  // l(x) = 2^n l(x^(1/2^n)), whose series converges fast.
  let value = withScale(x, Math.max(work, x.scale))
  let factor = 2n
  const [low, high] = [{ digits: 5n, scale: 1 }, decimal(2)]
  while (compare(value, high) >= 0 || compare(value, low) <= 0) {
    value = squareRoot(value, work + x.scale)
    factor *= 2n
    await pause()
  }
  const ratio = divide(add(value, decimal(-1)), add(value, decimal(1)), work + x.scale)
  const square = multiply(ratio, ratio, work + x.scale)
  let odd = ratio
  const total = await sum(ratio, (_, index) => {
    odd = multiply(odd, square, work + x.scale)
    return divide(odd, decimal(2 * index + 1), work + x.scale)
  }, pause)
  return multiply(total, decimal(factor), work + x.scale)
}

const arctangent = async (x: Decimal, scale: number, pause: () => Promise<void> | void): Promise<Decimal> => {
  const work = scale + 10
  // a(x) = 2 a(x / (1 + sqrt(1 + x^2))) makes the argument small.
  let value = withScale(x, Math.max(work, x.scale))
  let factor = 1n
  const limit = { digits: 2n, scale: 1 }
  while (compare(value.digits < 0n ? negate(value) : value, limit) > 0) {
    const root = squareRoot(add(decimal(1), multiply(value, value, work)), work)
    value = divide(value, add(decimal(1), root), work)
    factor *= 2n
    await pause()
  }
  const square = negate(multiply(value, value, work))
  let odd = value
  const total = await sum(value, (_, index) => {
    odd = multiply(odd, square, work)
    return divide(odd, decimal(2 * index + 1), work)
  }, pause)
  return multiply(total, decimal(factor), work)
}

const sine = async (x: Decimal, scale: number, pause: () => Promise<void> | void): Promise<Decimal> => {
  const work = scale + 10 + `${x.digits}`.length
  const quarter = await arctangent(decimal(1), work, pause)
  const full = multiply(quarter, decimal(8), work)
  const turns = divide(x, full, 0)
  const value = withScale(add(x, negate(multiply(turns, full, work))), work)
  const square = negate(multiply(value, value, work))
  return await sum(
    value,
    (term, index) => divide(multiply(term, square, work), decimal(2 * index * (2 * index + 1)), work),
    pause,
  )
}

/** Computes a function of the library; `undefined` if there is none of that name. */
export const callLibrary = async (
  name: string,
  args: ReadonlyArray<Decimal>,
  scale: number,
  pause: () => Promise<void> | void,
): Promise<Decimal | undefined> => {
  const [x = decimal(0)] = args
  if (!["a", "c", "e", "l", "s"].includes(name)) return undefined
  if (scale > maxScale) {
    throw new DecimalError(`the mathematical functions have at most ${maxScale} digits after the point`)
  }
  const result = name === "a"
    ? await arctangent(x, scale, pause)
    : name === "e"
    ? await exponential(x, scale, pause)
    : name === "l"
    ? await logarithm(x, scale, pause)
    : name === "s"
    ? await sine(x, scale, pause)
    : await cosine(x, scale, pause)
  return withScale(result, name === "l" && x.digits <= 0n ? 0 : scale)
}

const cosine = async (x: Decimal, scale: number, pause: () => Promise<void> | void): Promise<Decimal> => {
  const right = multiply(await arctangent(decimal(1), scale + 20, pause), decimal(2), scale + 20)
  return await sine(add(x, right), scale, pause)
}
