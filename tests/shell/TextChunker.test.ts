import { describe, expect, it } from "@effect/vitest"
import { Chunking } from "@sluice/shell"
import { TextChunker } from "../../src/shell/TextChunker.ts"
import { forSeeds, type Random, randomText } from "../support/random.ts"
import { rounds } from "../support/rounds.ts"

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

  it("loses nothing, makes nothing up, and keeps the order", () => {
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

describe("ASCII that may stay bytes", () => {
  /** What each push and the end emit, with the bytes decoded, and how much of it stayed bytes. */
  const emitted = (pieces: ReadonlyArray<Uint8Array>, chunking: Chunking.Chunking, encoding = "utf-8") => {
    const chunker = new TextChunker(chunking, encoding)
    const chunks: Array<string> = []
    const lengths: Array<number> = []
    const emit = (content: string): void => void chunks.push(content)
    for (const piece of pieces) {
      chunker.push(piece, emit, (bytes) => {
        lengths.push(bytes.length)
        chunks.push(new TextDecoder().decode(bytes))
      })
      // A reader reuses its buffer.
      piece.fill(0)
    }
    chunker.end(emit)
    return { chunks, lengths }
  }
  const line = `${"x".repeat(59)}\n`

  it("is the same text, cut at the same ends of lines, wherever it is split and whatever is between", () => {
    forSeeds(rounds(60), (random) => {
      let text = ""
      for (let part = 0; part < 6; part++) {
        text += random.pick([
          line.repeat(random.int(1, 3_000)),
          randomText(random, 60),
          "x".repeat(random.int(1, 9_000)),
        ])
      }
      const { chunks, lengths } = emitted([...random.cut(encoder.encode(text), random.int(1, 9))], Chunking.line())
      expect(chunks.join("")).toBe(text)
      for (const chunk of chunks.slice(0, -1)) expect(chunk.endsWith("\n")).toBe(true)
      for (const length of lengths) expect(length).toBeLessThanOrEqual(65_536)
    })
  })

  it("fits into entries, also behind a held part of a line", () => {
    const bytes = encoder.encode(`held ${line.repeat(4_000)}`)
    const { chunks, lengths } = emitted([bytes.slice(0, 5), bytes.slice(5)], Chunking.hybrid())
    expect(chunks.join("")).toBe(`held ${line.repeat(4_000)}`)
    expect(lengths).toEqual([65_525, 65_520, 65_520, 43_440])
  })

  it("is text behind a part of a character or of another alphabet, in other encodings and chunks of a size", () => {
    const many = encoder.encode(line.repeat(100))
    const euro = encoder.encode("€")
    expect(emitted([euro.slice(0, 2), many.slice()], Chunking.hybrid()).chunks[0]?.startsWith("\ufffdxxx")).toBe(true)
    expect(emitted([euro.slice(), many.slice()], Chunking.hybrid()).chunks.join("")).toBe(`€${line.repeat(100)}`)
    const others: ReadonlyArray<readonly [Chunking.Chunking, string?]> = [
      [Chunking.hybrid(), "utf-16le"],
      [Chunking.hybrid(), "windows-1252"],
      [Chunking.size(9)],
    ]
    for (const [chunking, encoding] of others) expect(emitted([many.slice()], chunking, encoding).lengths).toEqual([])
  })
})
