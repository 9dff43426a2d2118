import { expect, it } from "@effect/vitest"
import {
  binaryToBytes,
  binaryToText,
  bytesToBinary,
  compareStrings,
  textToBinary,
} from "../../src/kernel/binaryString.ts"
import { random } from "../support/random.ts"

it("keeps any bytes, short or long", () => {
  const { int } = random(3)
  for (const length of [0, 1, 31, 33, 4_095, 4_097, 10_000]) {
    const bytes = Uint8Array.from({ length }, () => int(0, 255))
    const text = bytesToBinary(bytes)
    expect(text).toHaveLength(length)
    expect(binaryToBytes(text)).toEqual(bytes)
    const [from, to] = [Math.floor(length / 3), length - Math.floor(length / 4)]
    expect(bytesToBinary(bytes, from, to)).toBe(text.slice(from, to))
  }
})

it("keeps a byte order mark and a replacement character", () => {
  const text = `\ufeff${"a".repeat(40)}\ufffd`
  expect(binaryToText(bytesToBinary(new TextEncoder().encode(text)))).toBe(text)
})

it("has a character for each byte of a text", () => {
  expect(textToBinary("é")).toBe("\u00c3\u00a9")
  expect(binaryToText("\u00c3\u00a9")).toBe("é")
  expect(textToBinary("plain")).toBe("plain")
})

it("keeps bytes that are not UTF-8 through a text", () => {
  expect(textToBinary(binaryToText("a\u00ffb"))).toBe("a\u00ffb")
})

it("compares as bytes do", () => {
  expect(["b", "a", "\u00ff", "B"].sort(compareStrings)).toEqual(["B", "a", "b", "\u00ff"])
  expect([compareStrings("a", "a"), compareStrings("a", "ab"), compareStrings("b", "ab")]).toEqual([0, -1, 1])
})
