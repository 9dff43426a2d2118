import { expect, it } from "@effect/vitest"
import { HeadTailBuffer } from "../../src/shell/HeadTailBuffer.ts"
import { forSeeds, type Random, randomText } from "../support/random.ts"

const encoder = new TextEncoder()

/** Pushes bytes in pieces, through one buffer that is used again, as a reader's is. */
const push = (budget: HeadTailBuffer, pieces: ReadonlyArray<Uint8Array>): void => {
  const buffer = new Uint8Array(pieces.reduce((most, { length }) => Math.max(most, length), 1))
  for (const piece of pieces) {
    buffer.set(piece)
    budget.push(buffer.subarray(0, piece.length))
    buffer.fill(0x58, 0, piece.length)
  }
}

const kept = (bytes: Uint8Array, limit: number, encoding: string, { cut, int }: Random) => {
  const budget = new HeadTailBuffer(limit)
  push(budget, cut(bytes, int(1, bytes.length + 1)))
  expect(budget.bytes).toBe(bytes.length)
  return budget.take(encoding)
}

const partsOf = (text: string): readonly [head: string, left: number, tail: string] => {
  const [, head, left, tail] = /^([^]*)\n\[… (\d+) bytes left out …\]\n([^]*)$/.exec(text) ?? []
  if (head === undefined || tail === undefined) throw new Error("nothing was left out")
  return [head, Number(left), tail]
}

it("keeps everything within its limit, however it is cut", () => {
  forSeeds(300, (random) => {
    const text = randomText(random, 200)
    const bytes = encoder.encode(text)
    const limit = bytes.length + random.int(0, 3)
    expect(kept(bytes, limit, "utf-8", random)).toEqual({ text, bytesOmitted: 0 })
  })
})

it("keeps the start and the end, and counts the bytes between exactly", () => {
  forSeeds(1_000, (random) => {
    const text = randomText(random, 300)
    const bytes = encoder.encode(text)
    const limit = random.int(0, bytes.length)
    const result = kept(bytes, limit, "utf-8", random)
    if (limit === bytes.length) return expect(result.text).toBe(text)
    const [head, left, tail] = partsOf(result.text)
    expect(text.startsWith(head)).toBe(true)
    expect(text.endsWith(tail)).toBe(true)
    expect(left).toBe(result.bytesOmitted)
    expect(encoder.encode(head + tail).length + left).toBe(bytes.length)
    // No more is lost at a cut than the rest of one character.
    expect(encoder.encode(head).length).toBeGreaterThan(Math.ceil(limit / 2) - 4)
    expect(encoder.encode(tail).length).toBeGreaterThan(Math.floor(limit / 2) - 4)
    expect(encoder.encode(head + tail).length).toBeLessThanOrEqual(limit)
  })
})

it("never joins two halves of surrogate pairs in UTF-16", () => {
  forSeeds(300, (random) => {
    const text = randomText(random, 200).replaceAll("\uFEFF", "")
    const bytes = new Uint8Array(text.length * 2)
    const big = random.next() < 0.5
    for (let at = 0; at < text.length; at++) new DataView(bytes.buffer).setUint16(at * 2, text.charCodeAt(at), !big)
    const limit = random.int(0, Math.max(0, bytes.length - 1))
    if (bytes.length === 0) return
    const [head, left, tail] = partsOf(kept(bytes, limit, big ? "utf-16be" : "utf-16le", random).text)
    expect(text.startsWith(head)).toBe(true)
    expect(text.endsWith(tail)).toBe(true)
    expect((head.length + tail.length) * 2 + left).toBe(bytes.length)
  })
})

it("never makes a character of two halves where bytes do not say where one begins", () => {
  const characters = [[0x93, 0xfa], [0x96, 0x7b], [0x61], [0x0a], [0x20], [0xb1]]
  forSeeds(300, (random) => {
    const bytes = Uint8Array.from(Array.from({ length: random.int(1, 100) }, () => random.pick(characters)).flat())
    const text = new TextDecoder("shift_jis").decode(bytes)
    const limit = random.int(0, bytes.length - 1)
    const [head, , tail] = partsOf(kept(bytes, limit, "shift_jis", random).text)
    expect(text.startsWith(head)).toBe(true)
    // Without white space it is ambiguous.
    const known = bytes.subarray(bytes.length - Math.floor(limit / 2)).some((byte) => byte === 0x0a || byte === 0x20)
    if (known) expect(text.endsWith(tail)).toBe(true)
  })
})

it("cuts single bytes where each is a character", () => {
  forSeeds(100, (random) => {
    const bytes = Uint8Array.from({ length: random.int(1, 200) }, () => random.int(0xa0, 0xff))
    const limit = random.int(0, bytes.length - 1)
    const [head, left, tail] = partsOf(kept(bytes, limit, "windows-1252", random).text)
    expect([head.length, tail.length]).toEqual([Math.ceil(limit / 2), Math.floor(limit / 2)])
    expect(left).toBe(bytes.length - limit)
  })
})

it("cuts bytes that are not text within the limit, and keeps the decoded text well-formed", () => {
  forSeeds(300, (random) => {
    const bytes = Uint8Array.from({ length: random.int(1, 300) }, () => random.int(0, 255))
    const limit = random.int(0, bytes.length - 1)
    const { bytesOmitted, text } = kept(bytes, limit, "utf-8", random)
    expect(bytesOmitted).toBeGreaterThanOrEqual(bytes.length - limit)
    expect(bytesOmitted).toBeLessThanOrEqual(bytes.length - limit + 6)
    expect(text.isWellFormed()).toBe(true)
  })
})

it("keeps the end of a long output, in large and small pieces, without the rest", () => {
  forSeeds(3, (random) => {
    const budget = new HeadTailBuffer(100_000)
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => 0x61 + (index * 7) % 26)
    const pieces: Array<Uint8Array> = []
    for (let at = 0; at < bytes.length;) {
      const size = random.pick([1, 3, 100, 4_095, 4_096, 70_000])
      for (let n = 0; n < 20; n++, at += size) pieces.push(bytes.subarray(at, at + size))
    }
    push(budget, pieces)
    expect(budget.bytes).toBe(bytes.length)
    const all = new TextDecoder().decode(bytes)
    expect(partsOf(budget.take("utf-8").text)).toEqual([all.slice(0, 50_000), 2_900_000, all.slice(-50_000)])
  })
})
