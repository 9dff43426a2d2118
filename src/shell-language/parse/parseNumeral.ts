/**
 * Parses one numeral of arithmetic to its value: decimal, octal, hexadecimal or `base#digits`.
 *
 * Source: bash(1) "ARITHMETIC EVALUATION".
 *
 * @module
 */

const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_"

/** The value of a numeral in 64 bits of two's complement; `undefined` if the text is not a numeral. */
export const parseNumeral = (numeral: string): bigint | undefined => {
  const based = /^([1-9]\d?)#([0-9A-Za-z@_]+)$/.exec(numeral)
  if (based === null) {
    if (numeral.length > 4096) return undefined
    if (/^0[0-7]+$/.test(numeral)) return BigInt.asIntN(64, BigInt(`0o${numeral.slice(1)}`))
    return /^(0|[1-9]\d*|0[xX][0-9a-fA-F]+)$/.test(numeral) ? BigInt.asIntN(64, BigInt(numeral)) : undefined
  }
  const [, base = "", rest = ""] = based
  if (+base < 2 || +base > 64) return undefined
  let value = 0n
  for (const c of +base <= 36 ? rest.toLowerCase() : rest) {
    const digit = digits.indexOf(c)
    if (digit >= +base) return undefined
    value = BigInt.asIntN(64, value * BigInt(base) + BigInt(digit))
  }
  return value
}
