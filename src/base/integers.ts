/** Reads integers of any length in linear time: `BigInt` takes a time that grows with the square of the digits. */

/** A base that has a prefix in source code. */
export type Radix = 8 | 10 | 16

const prefixes: Readonly<Record<Radix, string>> = { 8: "0o", 10: "", 16: "0x" }

/** The value of digits; `undefined` if there are more than `max`, without zeros at the start. */
export const readDigits = (digits: string, radix: Radix, max = 64): bigint | undefined => {
  const significant = digits.replace(/^0+(?=.)/, "")
  return significant.length > max ? undefined : BigInt(prefixes[radix] + significant)
}

/**
 * Number of low digits of an even base that determine a value of 64 bits: the 64th power of the base is a multiple of
 * 2^64.
 */
export const wrappedDigits = 64

/** The value of digits in 64 bits of two's complement. */
export const wrapDigits = (digits: string, radix: Radix): bigint =>
  BigInt.asIntN(64, BigInt(prefixes[radix] + digits.slice(-wrappedDigits)))

/**
 * The value of a decimal integer with an optional sign and blanks around; `undefined` if the text is not such an
 * integer, or does not fit into 64 bits.
 */
export const readInteger = (text: string): bigint | undefined => {
  const found = /^([-+]?)([0-9]+)$/.exec(text.trim())
  if (found === null) return undefined
  const magnitude = readDigits(found[2] ?? "", 10)
  const value = found[1] === "-" && magnitude !== undefined ? -magnitude : magnitude
  return value === undefined || BigInt.asIntN(64, value) !== value ? undefined : value
}
