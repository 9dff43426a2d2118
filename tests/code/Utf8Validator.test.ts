import { describe, expect, it } from "@effect/vitest"
import { Utf8Validator } from "../../src/code/Utf8Validator.ts"
import { forSeeds } from "../support/random.ts"

const encoder = new TextEncoder()

const isText = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** The offset at which the whole of it stops being text, and all that was taken for text. */
const look = (pieces: Iterable<Uint8Array>) => {
  const seen = new Utf8Validator()
  const taken = [...pieces].map((piece) => seen.push(piece))
  seen.end()
  return {
    invalidAt: seen.invalidAt,
    bytes: Uint8Array.from(taken.flatMap(({ bytes, completed }) => [...completed, ...bytes])),
    text: taken.map(({ text }) => text).join(""),
    seen: seen.bytes,
  }
}

const cut = (bytes: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

describe("Utf8Validator", () => {
  const text = "aé€😀\u0000\u007f\u0080\u07ff\u0800\uffff\ud7ff\ue000\u{10000}\u{10ffff}\ufeffz"

  it.each([1, 2, 3, 4, 5, 64])(
    "takes the first and the last character of each length, in pieces of %d bytes",
    (size) => {
      const bytes = encoder.encode(text)
      expect(look(cut(bytes, size))).toEqual({ invalidAt: undefined, bytes, text, seen: bytes.length })
    },
  )

  it.each(
    [
      ["a byte that never is", [0x61, 0xff], 1],
      ["a continuation without a start", [0x61, 0x80], 1],
      ["two bytes for what fits into one", [0xc1, 0xbf], 0],
      ["three bytes for what fits into two", [0xe0, 0x9f, 0xbf], 0],
      ["four bytes for what fits into three", [0xf0, 0x8f, 0xbf, 0xbf], 0],
      ["half of a surrogate pair", [0x61, 0xed, 0xa0, 0x80], 1],
      ["a character above the last", [0xf4, 0x90, 0x80, 0x80], 0],
      ["a start above the last", [0xf5, 0x80, 0x80, 0x80], 0],
      ["a character that stops in its middle", [0xe2, 0x82, 0x61], 0],
      ["an end within a character", [0x61, 0x62, 0xf0, 0x9f, 0x98], 2],
    ] as const,
  )("names the first byte of %s", (_, bytes, offset) => {
    for (const size of [1, 2, 3, 8]) expect(look(cut(Uint8Array.from(bytes), size)).invalidAt).toBe(offset)
  })

  it("returns nothing more after invalid UTF-8", () => {
    const seen = new Utf8Validator()
    seen.push(Uint8Array.of(0x61, 0xff, 0x62))
    expect(seen.push(encoder.encode("more"))).toMatchObject({ bytes: new Uint8Array(0), text: "" })
    expect([seen.invalidAt, seen.bytes]).toEqual([1, 7])
  })

  it("agrees with a decoder about any bytes", () => {
    const kinds = [
      0x00,
      0x61,
      0x7f,
      0x80,
      0x8f,
      0x90,
      0x9f,
      0xa0,
      0xbf,
      0xc1,
      0xc2,
      0xdf,
      0xe0,
      0xed,
      0xef,
      0xf0,
      0xf4,
      0xff,
    ]
    forSeeds(1_000, ({ cut, int, pick }) => {
      const bytes = Uint8Array.from({ length: int(1, 6) }, () => pick(kinds))
      const { bytes: taken, invalidAt, text } = look(cut(bytes, 3))
      const longest = bytes.findLastIndex((_, end) => isText(bytes.subarray(0, end + 1))) + 1
      expect(invalidAt ?? bytes.length).toBe(longest)
      expect(invalidAt === undefined).toBe(isText(bytes))
      expect(taken.subarray(0, longest)).toEqual(bytes.subarray(0, longest))
      expect(text).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, longest)))
    })
  })
})
