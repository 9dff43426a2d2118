import { expect, it } from "@effect/vitest"
import { mostWords, Sketch } from "../../../src/journal/stores/ndjson/Sketch.ts"
import { forSeeds, type Random } from "../../support/random.ts"

const hashes = ({ int }: Random, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, () => int(0, 0xffff_ffff))

const sketchOf = (hashes: ReadonlyArray<number>): Sketch => {
  const sketch = new Sketch()
  for (const hash of hashes) sketch.add(hash)
  return sketch
}

/** How many of ten thousand hashes it holds that nobody gave to it. */
const wrong = (sketch: Sketch, luck: Random): number => {
  const others = hashes(luck, 10_000)
  return others.filter((hash) => sketch.mayHold(hash)).length
}

it("holds all that it was given, however many they are and however they came together", () => {
  forSeeds(60, (luck) => {
    const parts = Array.from({ length: luck.int(1, 6) }, () => hashes(luck, luck.int(0, 2 * mostWords)))
    const sketch = new Sketch()
    for (const part of parts) {
      if (luck.int(0, 1) === 0) sketch.merge(sketchOf(part))
      else for (const hash of part) sketch.add(hash)
    }
    expect(parts.flat().filter((hash) => !sketch.mayHold(hash))).toEqual([])
    expect(sketch.bytes).toBeLessThanOrEqual(4 * mostWords)
  })
})

it("is exact while they are few, and takes little then", () => {
  forSeeds(10, (luck) => {
    const few = hashes(luck, 10)
    const sketch = sketchOf([...few, ...few, ...few])
    sketch.merge(sketchOf(few))
    expect(sketch.bytes).toBeLessThan(100)
    expect(wrong(sketchOf(hashes(luck, mostWords)), luck)).toBe(0)
  })
})

it("is seldom wrong when they are many, and never grows", () => {
  forSeeds(5, (luck) => {
    const one = sketchOf(hashes(luck, 300))
    const other = sketchOf(hashes(luck, 300))
    one.merge(other)
    expect(one.bytes).toBe(4 * mostWords)
    // By the book 3 % for 600 hashes.
    expect(wrong(one, luck)).toBeLessThan(450)
  })
})

it("knows no number before it is given one", () => {
  const sketch = new Sketch()
  expect([0, 1, 0xffff_ffff].map((hash) => sketch.mayHold(hash))).toEqual([false, false, false])
  sketch.add(0)
  expect([0, 1, 0xffff_ffff].map((hash) => sketch.mayHold(hash))).toEqual([true, false, false])
})
