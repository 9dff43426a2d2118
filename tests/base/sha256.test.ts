import { expect, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { portableSha256, sha256, sha256Stream } from "../../src/base/sha256.ts"
import { forSeeds, randomText } from "../support/random.ts"

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** FIPS 180-2 appendix B, and the hash of nothing. */
const known: Readonly<Record<string, string>> = {
  "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq":
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ["a".repeat(1_000_000)]: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
}

it("computes the known hashes, with the runtime's implementation and without", () => {
  for (const [text, hash] of Object.entries(known)) {
    expect(sha256(text)).toBe(hash)
    expect(hexOf(portableSha256(text))).toBe(hash)
  }
})

it("computes the same with and without the runtime's implementation, for every text and length", () => {
  const same = (text: string): void => {
    const expected = createHash("sha256").update(text, "utf8").digest("hex")
    expect(sha256(text)).toBe(expected)
    expect(hexOf(portableSha256(text))).toBe(expected)
  }
  for (let length = 0; length < 200; length++) same("x".repeat(length))
  forSeeds(200, (source) => same(randomText(source, 100)))
  for (const text of ["\ud83d", "a\ude00b", "\ud83d\ud83d\ude00", "\0", "\ufeffx"]) same(text)
})

it("takes a lone surrogate for U+FFFD", () => {
  expect(sha256("a\ud83db")).toBe(sha256("a\ufffdb"))
  expect(hexOf(portableSha256("a\ud83db"))).toBe(sha256("a\ufffdb"))
})

it("hashes bytes that come in pieces as it hashes them at once", () => {
  forSeeds(50, ({ cut, int }) => {
    const bytes = new Uint8Array(int(0, 5_000)).map(() => int(0, 255))
    const stream = sha256Stream()
    for (const piece of cut(bytes, 300)) stream.update(piece)
    expect(stream.digest()).toBe(sha256(bytes))
  })
})
