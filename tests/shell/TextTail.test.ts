import { expect, it } from "@effect/vitest"
import { TextTail } from "../../src/shell/TextTail.ts"
import { forSeeds, randomText } from "../support/random.ts"

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

it("keeps text that fits, and omits none of it", () => {
  forSeeds(100, (random) => {
    const pieces = Array.from({ length: random.int(0, 20) }, () => randomText(random, 10))
    const text = pieces.join("")
    const tail = new TextTail(text.length + random.int(0, 2), "utf-8")
    for (const piece of pieces) tail.push(piece)
    expect(tail.take(bytesOf(text))).toEqual({ text, bytesOmitted: 0 })
  })
})

it("keeps the end of longer text, splits no character, and counts the dropped bytes", () => {
  forSeeds(300, (random) => {
    const pieces = Array.from({ length: random.int(1, 40) }, () => randomText(random, 30))
    const all = pieces.join("")
    const limit = random.int(0, all.length)
    const tail = new TextTail(limit, "utf-8")
    for (const piece of pieces) tail.push(piece)
    const { bytesOmitted, text } = tail.take(bytesOf(all))
    expect(all.endsWith(text)).toBe(true)
    expect(text.isWellFormed()).toBe(true)
    expect([limit, limit - 1]).toContain(text.length)
    expect(bytesOmitted).toBe(bytesOf(all) - bytesOf(text))
  })
})

it("drops text beyond its limit while text is pushed", () => {
  const tail = new TextTail(1_000, "utf-8")
  const line = "0123456789abcde\n"
  for (let n = 0; n < 100_000; n++) tail.push(line)
  expect(tail.take(1_600_000)).toEqual({ text: line.repeat(100_000).slice(-1_000), bytesOmitted: 1_599_000 })
})

it("counts in the encoding that the bytes had", () => {
  const cases = [["utf-16le", 40], ["latin1", 20], ["windows-1252", 20], ["shift_jis", 30], ["utf-8", 45]] as const
  for (const [encoding, bytes] of cases) {
    const whole = new TextTail(100, encoding)
    whole.push("日a".repeat(10))
    expect([encoding, whole.take(bytes).bytesOmitted]).toEqual([encoding, 0])
  }
  const half = (encoding: string, bytes: number) => {
    const tail = new TextTail(10, encoding)
    tail.push("日a".repeat(10))
    return tail.take(bytes).bytesOmitted
  }
  expect([half("utf-16le", 40), half("shift_jis", 30), half("utf-8", 40)]).toEqual([20, 15, 20])
})

it("does not count undecodable bytes as omitted", () => {
  const tail = new TextTail(100, "utf-8")
  tail.push("\uFFFD\uFFFD")
  expect(tail.take(2)).toEqual({ text: "\uFFFD\uFFFD", bytesOmitted: 0 })
})
