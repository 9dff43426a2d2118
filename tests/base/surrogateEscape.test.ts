import { expect, it } from "vitest"
import { decodeLossless, encodeLossless } from "../../src/base/surrogateEscape.ts"
import { random } from "../support/random.ts"

it("encodes decoded bytes as the same bytes, valid or not", () => {
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
    expect([...encodeLossless(decodeLossless(bytes))]).toEqual([...bytes])
  }
})

it("decodes valid UTF-8 as usual, with its byte order mark", () => {
  expect(decodeLossless(new TextEncoder().encode("aé€😀\ufeff"))).toBe("aé€😀\ufeff")
})
