import { expect, it } from "@effect/vitest"
import { parseNumeral } from "../../../src/shell-language/parse/parseNumeral.ts"

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value)

it("wraps a numeral of any length to 64 bits in each base", () => {
  expect(parseNumeral("7".repeat(5_000))).toBe(wrap(BigInt("7".repeat(5_000))))
  expect(parseNumeral(`0${"7".repeat(99)}`)).toBe(-1n)
  expect(parseNumeral(`0x1${"0".repeat(5_000)}a`)).toBe(10n)
  for (let base = 2; base <= 64; base++) {
    // Digits 1 and 0 in turn: a geometric series.
    const expected = Array.from({ length: 100 }).reduce<bigint>(
      (value) => value * BigInt(base) ** 2n + BigInt(base),
      0n,
    )
    expect([base, parseNumeral(`${base}#${"10".repeat(100)}`)]).toEqual([base, wrap(expected)])
  }
  expect(parseNumeral("36#zZ")).toBe(35n * 37n)
  expect(parseNumeral("64#zZ@_")).toBe(((35n * 64n + 61n) * 64n + 62n) * 64n + 63n)
})

it("refuses anything but a numeral", () => {
  for (const text of ["", "08", "0x", "1#0", "65#0", "2#2", "36#@", "62#@", "10#", "1a", `2#${"1".repeat(99)}2`]) {
    expect([text, parseNumeral(text)]).toEqual([text, undefined])
  }
})
