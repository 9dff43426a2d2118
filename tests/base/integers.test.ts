import { expect, it } from "@effect/vitest"
import { readDigits, readInteger, wrapDigits } from "../../src/base/integers.ts"

const many = "1".repeat(4_194_304)

it("reads digits up to a number of them, without zeros at the start", () => {
  expect(readDigits("0012", 10)).toBe(12n)
  expect(readDigits("ff", 16)).toBe(255n)
  expect(readDigits("017", 8)).toBe(15n)
  expect(readDigits("0".repeat(100), 10)).toBe(0n)
  expect(readDigits("9".repeat(64), 10)).toBe(10n ** 64n - 1n)
  expect(readDigits("9".repeat(65), 10)).toBe(undefined)
  expect(readDigits("9".repeat(65), 10, 65)).toBe(10n ** 65n - 1n)
  expect(readDigits(many, 10)).toBe(undefined)
})

it("wraps digits to 64 bits as the whole number does", () => {
  for (const digits of ["0", "7", "17777777777777777777777", "1234567".repeat(30)]) {
    expect(wrapDigits(digits, 8)).toBe(BigInt.asIntN(64, BigInt(`0o${digits}`)))
    expect(wrapDigits(digits, 10)).toBe(BigInt.asIntN(64, BigInt(digits)))
    expect(wrapDigits(digits, 16)).toBe(BigInt.asIntN(64, BigInt(`0x${digits}`)))
  }
  expect(wrapDigits(many, 10)).toBe(wrapDigits(many.slice(-64), 10))
})

it("reads integers of 64 bits, and no others", () => {
  expect([" 5 ", "+5", "-5", "0".repeat(90) + "5"].map(readInteger)).toEqual([5n, 5n, -5n, 5n])
  expect(["9223372036854775807", "-9223372036854775808"].map(readInteger)).toEqual([2n ** 63n - 1n, -(2n ** 63n)])
  const others = ["", "-", "x", "1x", "1 2", "0x1", "9223372036854775808", "-9223372036854775809", many]
  expect(others.map(readInteger)).toEqual(others.map(() => undefined))
})
