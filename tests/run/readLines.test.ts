import { expect, it } from "@effect/vitest"
import { $ } from "@sluice/shell/run"
import { readLines } from "../../src/run/readLines.ts"
import { random, randomText } from "../support/random.ts"

/** Reads pieces through one buffer that is used again. */
const linesOf = (pieces: ReadonlyArray<Uint8Array>, maxLength = 1_000, encoding = "utf-8") => {
  const left = [...pieces]
  const reused = new Uint8Array(Math.max(1, ...pieces.map(({ length }) => length)))
  const told = { cancelled: 0, ended: 0 }
  const source = {
    read: () => {
      reused.fill(0x58)
      const piece = left.shift()
      if (piece !== undefined) reused.set(piece)
      return Promise.resolve(piece === undefined ? undefined : reused.subarray(0, piece.length))
    },
    cancel: () => Promise.resolve(void told.cancelled++),
  }
  const end = () => Promise.resolve(void told.ended++)
  return { lines: readLines(() => source, { command: "cmd", encoding, maxLength, end }), told }
}

const encoder = new TextEncoder()

it("splits at LF and CRLF, however the bytes were read", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const numbers = random(seed)
    const { cut, next, pick } = numbers
    const text = randomText(numbers, 60).replaceAll("\t", pick(["\r", "\n", "\r\n", "\t"]))
    const pieces = cut(encoder.encode(text), pick([1, 2, 5, 50, 500])).filter(({ length }) => length > 0)
    const { lines, told } = linesOf(pieces)
    const expected = text.split("\n").map((line) => line.replace(/\r$/, ""))
    if (text === "" || text.endsWith("\n")) expected.pop()
    const seen: Array<string> = []
    if (next() < 0.5) { for await (const line of lines) seen.push(line) }
    else {
      // Asked for all at once.
      const iterator = lines[Symbol.asyncIterator]()
      const results = await Promise.all(Array.from({ length: expected.length + 2 }, () => iterator.next()))
      for (const { done, value } of results) if (done !== true) seen.push(value)
    }
    expect([seed, seen]).toEqual([seed, expected])
    expect(told.ended).toBe(1)
  }
})

it("refuses a line that is too long, after the lines before it", async () => {
  const { lines, told } = linesOf([encoder.encode("a\nb\ncccc"), encoder.encode("cccc")], 7)
  const seen: Array<string> = []
  const reading = (async () => {
    for await (const line of lines) seen.push(line)
  })()
  await expect(reading).rejects.toThrow("a line of cmd has more than 7 characters and no end")
  expect([seen, told]).toEqual([["a", "b"], { cancelled: 1, ended: 0 }])
})

it("gives the rest of a broken character as U+FFFD, and ends when the loop is left", async () => {
  const broken = linesOf([new Uint8Array([0x61, 0xe2, 0x82])])
  const seen: Array<string> = []
  for await (const line of broken.lines) seen.push(line)
  expect(seen).toEqual(["a\uFFFD"])
  const left = linesOf([encoder.encode("a\nb\n")])
  for await (const line of left.lines) if (line === "a") break
  expect(left.told).toEqual({ cancelled: 1, ended: 0 })
})

it("streams chunks that stay unchanged", async () => {
  const whole = await $`seq 200000`.bytes()
  const chunks: Array<Uint8Array> = []
  for await (const chunk of $`seq 200000`.stream()) chunks.push(chunk)
  let at = 0
  expect(chunks.every((chunk) => chunk.every((byte) => byte === whole[at++]))).toBe(true)
  expect(at).toBe(whole.length)
})

it("returns the bytes of output that is not text, also after text", async () => {
  const command = $`printf ${"\\303\\050\\377"}`
  expect([await command.text(), [...await command.bytes()]]).toEqual(["\uFFFD(\uFFFD", [0xc3, 0x28, 0xff]])
})
