/**
 * Parses one numeral of arithmetic to its value: decimal, octal, hexadecimal or `base#digits`.
 * Source: bash(1) "ARITHMETIC EVALUATION".
 */
import { wrapDigits, wrappedDigits } from "../../base/integers.ts"

/** Digits whose value a number holds exactly in each base. */
const digitsPerPiece = 8

const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_"

/** The value of a numeral in 64 bits of two's complement; `undefined` if the text is not a numeral. */
export const parseNumeral = (numeral: string): bigint | undefined => {
  const based = /^([1-9]\d?)#([0-9A-Za-z@_]+)$/.exec(numeral)
  if (based === null) {
    if (/^0[0-7]+$/.test(numeral)) return wrapDigits(numeral.slice(1), 8)
    if (/^0[xX][0-9a-fA-F]+$/.test(numeral)) return wrapDigits(numeral.slice(2), 16)
    return /^(0|[1-9]\d*)$/.test(numeral) ? wrapDigits(numeral, 10) : undefined
  }
  const [, base = "", rest = ""] = based
  if (+base < 2 || +base > 64) return undefined
  const all = +base <= 36 ? rest.toLowerCase() : rest
  if (new RegExp(`[^${digits.slice(0, +base)}]`).test(all)) return undefined
  const counted = +base % 2 === 0 ? all.slice(-wrappedDigits) : all
  let value = 0n
  for (let at = 0; at < counted.length; at += digitsPerPiece) {
    const piece = counted.slice(at, at + digitsPerPiece)
    let part = 0
    for (const c of piece) part = part * +base + digits.indexOf(c)
    value = BigInt.asIntN(64, value * BigInt((+base) ** piece.length) + BigInt(part))
  }
  return value
}
