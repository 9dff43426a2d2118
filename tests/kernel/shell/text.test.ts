import { expect, it } from "vitest"
import { countCharacters, decode, encode, joined, sliceCharacters } from "../../../src/kernel/shell/text.ts"
import { runCoroutineSync } from "../../../src/kernel/Coroutine.ts"
import { random } from "../../support/random.ts"

it("gives back the bytes that it was given, whatever they are", () => {
  const { int, pick } = random(9)
  const pieces = [
    [0x61],
    [0xc3, 0xa9],
    [0xe2, 0x82, 0xac],
    [0xf0, 0x9f, 0x98, 0x80],
    [0xff],
    [0xc3],
    [0xe2, 0x82],
    [0xed, 0xa0, 0x80],
    [0x80],
    [0xf5],
    [0],
  ]
  for (let round = 0; round < 500; round++) {
    const bytes = Uint8Array.from(Array.from({ length: int(0, 12) }, () => pick(pieces)).flat())
    expect([...encode(decode(bytes))]).toEqual([...bytes])
  }
})

it("reads text that is UTF-8 as itself", () => {
  expect(decode(new TextEncoder().encode("aé€😀\ufeff"))).toBe("aé€😀\ufeff")
})

it("puts characters together that came byte by byte", () => {
  expect(joined("\udcc3\udca9")).toBe("é")
  expect(joined("plain")).toBe("plain")
})

it("counts characters, not units", () => {
  expect(runCoroutineSync(countCharacters("a😀é"))).toBe(3)
  expect(runCoroutineSync(countCharacters("abc"))).toBe(3)
  const text = "a😀é😀b"
  for (let from = 0; from <= 5; from++) {
    for (let to = from; to <= 6; to++) {
      expect(runCoroutineSync(sliceCharacters(text, from, to))).toBe([...text].slice(from, to).join(""))
    }
  }
})
