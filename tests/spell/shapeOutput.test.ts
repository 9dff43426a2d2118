import { expect, it } from "@effect/vitest"
import { shapeOutput } from "../../src/spell/shapeOutput.ts"
import { random } from "../support/random.ts"

const gap = (omitted: number, position: number): string => `${omitted} at ${position}`

it("leaves a text alone that is within the budget", () => {
  expect(shapeOutput("abc\n", 4, gap)).toEqual({ text: "abc\n", omitted: 0 })
})

it("shows the first and the last lines, and the gap between them", () => {
  const text = Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join("")
  const shaped = shapeOutput(text, 100, gap)
  expect(shaped.text.startsWith("line 0\nline 1\n")).toBe(true)
  expect(shaped.text.endsWith("line 98\nline 99\n")).toBe(true)
  expect(shaped.text).toMatch(/line \d+\n… \d+ at \d+ …\nline \d+\n/)
})

it("cuts lines that are longer than the budget", () => {
  const shaped = shapeOutput("x".repeat(1_000), 100, gap)
  expect(shaped.text).toBe(`${"x".repeat(50)}\n… 900 at 50 …\n${"x".repeat(50)}`)
})

it("loses no more than it says, and splits no character (1,000 random texts)", () => {
  for (let seed = 0; seed < 1_000; seed++) {
    const { int, pick } = random(seed)
    const text = Array.from({ length: int(0, 300) }, () => pick(["a", "€", "😀", "\n", "word "])).join("")
    const shaped = shapeOutput(text, int(4, 200), gap)
    expect(shaped.text.isWellFormed()).toBe(true)
    if (shaped.omitted === 0) {
      expect(shaped.text).toBe(text)
      continue
    }
    const found = /\n?… (\d+) at (\d+) …\n/.exec(shaped.text)
    const position = Number(found?.[2])
    expect(Number(found?.[1])).toBe(shaped.omitted)
    expect(shaped.text.startsWith(text.slice(0, position))).toBe(true)
    expect(shaped.text.endsWith(text.slice(position + shaped.omitted))).toBe(true)
  }
})
