import { expect, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { digest } from "../../src/host/digest.ts"
import { forSeeds, randomText } from "../support/random.ts"

const first96Bits = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16)

it("is the start of the text's SHA-256, for every length around the ends of its blocks", () => {
  for (let length = 0; length < 300; length++) {
    const text = "x:é😀".repeat(length).slice(0, length)
    expect(digest(text)).toBe(first96Bits(text))
  }
})

it("is the start of the SHA-256 of any text", () => {
  forSeeds(200, (random) => {
    const text = randomText(random, 400)
    expect(digest(text)).toBe(first96Bits(text))
  })
})
