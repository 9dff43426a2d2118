import { expect, it } from "vitest"
import { concatBytes, encodeUtf8 } from "../../src/base/bytes.ts"

it("joins byte arrays in order, into memory of its own", () => {
  const part = Uint8Array.of(1, 2)
  const joined = concatBytes([part, new Uint8Array(0), Uint8Array.of(3)])
  expect([...joined]).toEqual([1, 2, 3])
  const copy = concatBytes([part])
  part[0] = 9
  expect([...joined, ...copy]).toEqual([1, 2, 3, 1, 2])
})

it("encodes a lone surrogate as U+FFFD", () => {
  expect([...encodeUtf8("é\ud800")]).toEqual([0xc3, 0xa9, 0xef, 0xbf, 0xbd])
})
