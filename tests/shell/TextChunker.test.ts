import { describe, expect, it } from "@effect/vitest"
import { Chunking } from "@sluice/shell"
import { TextChunker } from "../../src/shell/TextChunker.ts"
import { forSeeds, type Random, randomText } from "../support/random.ts"

const encoder = new TextEncoder()

/** Pushes a text in random pieces, flushing now and then if `flush` says so; answers with each chunk. */
const chunksOf = (text: string, chunking: Chunking.Chunking, { cut, int, next }: Random, flush = 0) => {
  const chunker = new TextChunker(chunking, "utf-8")
  const chunks: Array<string> = []
  const emit = (content: string): void => void chunks.push(content)
  for (const piece of cut(encoder.encode(text), int(1, 20))) {
    chunker.push(piece, emit)
    if (next() < flush) chunker.flush(emit)
  }
  chunker.end(emit)
  expect(chunker.holds).toBe(false)
  return chunks
}

describe("whatever the chunking and wherever the bytes are split", () => {
  const chunkings = [
    Chunking.hybrid(),
    Chunking.line(),
    Chunking.line(7),
    Chunking.size(1),
    Chunking.size(5),
    Chunking.time("1 second"),
  ]

  it("neither loses nor invents text, and keeps the order", () => {
    forSeeds(500, (random) => {
      const text = randomText(random, 60)
      const chunks = chunksOf(text, random.pick(chunkings), random, random.pick([0, 0.3]))
      expect(chunks.join("")).toBe(text)
      expect(chunks).not.toContain("")
    })
  })

  it("splits no character", () => {
    forSeeds(500, (random) => {
      const chunks = chunksOf(randomText(random, 60), random.pick(chunkings), random, random.pick([0, 0.3]))
      for (const chunk of chunks) expect(chunk.isWellFormed()).toBe(true)
    })
  })
})

it("cuts at the ends of lines and nowhere else, unless it is flushed", () => {
  forSeeds(300, (random) => {
    const chunks = chunksOf(randomText(random, 80), random.pick([Chunking.hybrid(), Chunking.line()]), random)
    for (const chunk of chunks.slice(0, -1)) expect(chunk.endsWith("\n")).toBe(true)
  })
})

it("makes one chunk of all the lines that came at once", () => {
  const chunker = new TextChunker(Chunking.hybrid(), "utf-8")
  const chunks: Array<string> = []
  chunker.push(encoder.encode("a\nb\nc\nd"), (content) => chunks.push(content))
  expect(chunks).toEqual(["a\nb\nc\n"])
  expect(chunker.holds).toBe(true)
})

it("holds back at most its maximum length", () => {
  forSeeds(100, (random) => {
    const most = random.int(1, 40)
    const chunker = new TextChunker(Chunking.line(most), "utf-8")
    let held = 0
    for (const piece of random.cut(encoder.encode("x".repeat(500)), 10)) {
      held += piece.length
      chunker.push(piece, (content) => void (held -= content.length))
      expect(held).toBeLessThan(most)
    }
  })
})

it("cuts chunks of exactly the requested size, one unit less where a character would be split", () => {
  forSeeds(300, (random) => {
    const size = random.int(2, 9)
    const chunks = chunksOf(randomText(random, 80), Chunking.size(size), random)
    for (const chunk of chunks.slice(0, -1)) expect([size, size - 1]).toContain(chunk.length)
    expect((chunks.at(-1) ?? "").length).toBeLessThanOrEqual(size)
  })
  const chunks = chunksOf("a😀b😀", Chunking.size(1), { ...oneByOne })
  expect(chunks).toEqual(["a", "😀", "b", "😀"])
})

const oneByOne: Random = {
  next: () => 0.5,
  int: (from) => from,
  pick: (items) => {
    const [first] = items
    if (first === undefined) throw new Error("nothing to pick from")
    return first
  },
  cut: (bytes) => Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)),
}

it("keeps a byte-order mark, also one that came in pieces", () => {
  expect(chunksOf("\uFEFFa\n\uFEFFb", Chunking.hybrid(), oneByOne)).toEqual(["\uFEFFa\n", "\uFEFFb"])
})

it("decodes invalid and incomplete characters as U+FFFD", () => {
  const chunker = new TextChunker(Chunking.hybrid(), "utf-8")
  const chunks: Array<string> = []
  const emit = (content: string): void => void chunks.push(content)
  chunker.push(Uint8Array.of(0x61, 0xff, 0x0a, 0xe2, 0x82), emit)
  expect(chunks).toEqual(["a\uFFFD\n"])
  // Half a character is nothing that could be flushed.
  expect(chunker.holds).toBe(false)
  chunker.end(emit)
  expect(chunks).toEqual(["a\uFFFD\n", "\uFFFD"])
})
