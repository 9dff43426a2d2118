import { expect, it } from "@effect/vitest"
import { HeadTailBuffer } from "../../src/shell/HeadTailBuffer.ts"
import { TextBuffer } from "../../src/shell/TextBuffer.ts"
import { forSeeds, type Random, randomText } from "../support/random.ts"

const encoder = new TextEncoder()
const blockBytes = 65_536

/** Pushes bytes in pieces into both buffers, through one buffer that is used again, as a reader's is. */
const both = (bytes: Uint8Array, limit: number, encoding: string, pieces: ReadonlyArray<Uint8Array>) => {
  const text = new TextBuffer(limit, encoding)
  const raw = new HeadTailBuffer(limit)
  const reused = new Uint8Array(bytes.length)
  for (const piece of pieces) {
    reused.set(piece)
    text.push(reused.subarray(0, piece.length))
    raw.push(piece)
    reused.fill(0x58)
  }
  return { text, raw }
}

const expectSame = (bytes: Uint8Array, limit: number, encoding: string, random: Random): void => {
  const { raw, text } = both(bytes, limit, encoding, random.cut(bytes, random.int(1, bytes.length + 1)))
  expect(text.bytes).toBe(bytes.length)
  // In either order, and again.
  if (random.next() < 0.5) expect(text.takeBytes()).toEqual(raw.takeBytes())
  expect(text.take()).toEqual(raw.take(encoding))
  expect(text.takeBytes()).toEqual(raw.takeBytes())
  expect(text.take()).toEqual(raw.take(encoding))
  // And it goes on afterwards.
  text.push(encoder.encode("é"))
  raw.push(encoder.encode("é"))
  expect(text.take()).toEqual(raw.take(encoding))
}

it("keeps the same text as a head-tail buffer, within its limit and above it", () => {
  forSeeds(500, (random) => {
    const bytes = encoder.encode(randomText(random, 200))
    expectSame(bytes, random.int(0, bytes.length + 3), random.pick(["utf-8", "utf-16le", "shift_jis"]), random)
  })
})

it("keeps the same bytes as a head-tail buffer, where they are not text", () => {
  forSeeds(500, (random) => {
    const bytes = encoder.encode(randomText(random, 60))
    for (let n = random.int(0, 4); n > 0 && bytes.length > 0; n--) {
      bytes[random.int(0, bytes.length - 1)] = random.int(0, 255)
    }
    expectSame(bytes, random.int(0, bytes.length + 3), "utf-8", random)
  })
})

it("splits no character between two blocks", () => {
  forSeeds(60, (random) => {
    const start = "x".repeat(blockBytes - random.int(0, 6))
    const bytes = encoder.encode(`${start}${randomText(random, 9)}${start}${randomText(random, 9)}`)
    // Half of them are not valid: the fault is near the end of a block.
    if (random.next() < 0.5) bytes[random.int(blockBytes - 6, blockBytes + 3)] = random.int(0x80, 0xff)
    expectSame(bytes, random.pick([bytes.length, bytes.length - 1, blockBytes]), "utf-8", random)
  })
})

it("gives the whole of a text of several blocks", () => {
  const line = "日本語 é 😀 0123456789\n"
  const text = line.repeat(10_000)
  const bytes = encoder.encode(text)
  const buffer = new TextBuffer(bytes.length, "utf-8")
  for (let at = 0; at < bytes.length; at += 50_001) buffer.push(bytes.subarray(at, at + 50_001))
  expect(buffer.take()).toEqual({ text, bytesOmitted: 0 })
  expect(buffer.takeBytes()).toEqual({ bytes, bytesOmitted: 0 })
})
