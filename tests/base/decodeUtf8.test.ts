import { expect, it } from "vitest"
import { encodeUtf8 } from "../../src/base/bytes.ts"
import { decodeUtf8 } from "../../src/base/decodeUtf8.ts"

it("decodes UTF-8, with its byte-order mark and its replacement characters", () => {
  for (const text of ["", "plain", "\ufeffaé€😀", "a \ufffd that was written"]) {
    expect(decodeUtf8(encodeUtf8(text))).toBe(text)
  }
})

it("refuses bytes that are not UTF-8", () => {
  for (const bytes of [[0x61, 0xff], [0xc3], [0xe2, 0x82, 0x20], [0xed, 0xa0, 0x80], [0xef, 0xbf, 0xbd, 0x80]]) {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined()
  }
})
