import { describe, expect, it } from "@effect/vitest"
import { KeptEnds } from "../../src/code/KeptEnds.ts"
import { OutputCollector } from "../../src/code/OutputCollector.ts"
import { forSeeds } from "../support/random.ts"

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

describe("HeadTailBuffer", () => {
  const ends = (limit: number, ...pieces: ReadonlyArray<string>): KeptEnds => {
    const kept = new KeptEnds(limit)
    for (const piece of pieces) kept.push(encoder.encode(piece))
    return kept
  }

  it("keeps everything within the limit, line ends and byte-order mark as they came", () => {
    expect(ends(20, "\ufeffa\r\n", "b\r", "c\n").take(20)).toEqual({ text: "\ufeffa\r\nb\rc\n", bytesOmitted: 0 })
    expect(ends(4, "ab", "cd").take(4)).toEqual({ text: "abcd", bytesOmitted: 0 })
  })

  it("leaves out the middle, and says how much", () => {
    expect(ends(6, "abcdefghij").take(6)).toEqual({ text: "abc\n[… 4 bytes left out …]\nhij", bytesOmitted: 4 })
    expect(ends(0, "abc").take(0)).toEqual({ text: "\n[… 3 bytes left out …]\n", bytesOmitted: 3 })
  })

  it("cuts no character in two", () => {
    const { bytesOmitted, text } = ends(8, "aé€😀€éa".repeat(3)).take(8)
    expect(text).toBe(`aé\n[… ${bytesOmitted} bytes left out …]\néa`)
    expect(bytesOmitted).toBe(bytesOf("aé€😀€éa") * 3 - 6)
  })

  it("gives less than it has kept when its share is less", () => {
    expect(ends(10, "abcdefghij").take(4)).toEqual({ text: "ab\n[… 6 bytes left out …]\nij", bytesOmitted: 6 })
    expect(ends(10, "abcdefg").take(6)).toEqual({ text: "abc\n[… 1 bytes left out …]\nefg", bytesOmitted: 1 })
  })

  it("leaves out a character that never became whole", () => {
    const kept = new KeptEnds(10)
    kept.push(Uint8Array.of(0x61, 0xe2, 0x82))
    expect(kept.take(10)).toEqual({ text: "a", bytesOmitted: 2 })
  })

  it("has the start and the end of any pieces, for any limit and any share", () => {
    forSeeds(2_000, ({ int }) => {
      const pieces = Array.from(
        { length: int(0, 8) },
        (_, piece) => Array.from({ length: int(0, 12) }, (_, n) => (piece * 7 + n) % 10).join(""),
      )
      const limit = int(0, 40)
      const share = int(0, limit)
      const whole = pieces.join("")
      const half = Math.ceil(share / 2)
      const omitted = whole.length - share
      expect(ends(limit, ...pieces).take(share).text).toBe(
        omitted <= 0
          ? whole
          : `${whole.slice(0, half)}\n[… ${omitted} bytes left out …]\n${whole.slice(whole.length - (share - half))}`,
      )
    })
  })
})

describe("OutputCollector", () => {
  const written = (limit: number, stdout: string | Uint8Array, stderr = ""): OutputCollector => {
    const all = new OutputCollector(limit)
    all.push("stdout", typeof stdout === "string" ? encoder.encode(stdout) : stdout)
    all.push("stderr", encoder.encode(stderr))
    all.end()
    return all
  }

  const omitted = (all: OutputCollector): readonly [stdout: number, stderr: number] => {
    const { stderrBytesOmitted, stdoutBytesOmitted } = all.take()
    return [stdoutBytesOmitted, stderrBytesOmitted]
  }

  it("has one budget for both streams", () => {
    expect(written(10, "aaaaa", "bbbbb")).toMatchObject({ isExceeded: false })
    expect(written(10, "aaaaaa", "bbbbb")).toMatchObject({ isExceeded: true })
    expect(omitted(written(10, "aaaaa", "bbbbb"))).toEqual([0, 0])
  })

  it("leaves to the long stream what the short one does not need", () => {
    expect(omitted(written(10, "a".repeat(100), "bb"))).toEqual([92, 0])
    expect(omitted(written(10, "aa", "b".repeat(100)))).toEqual([0, 92])
  })

  it("halves the budget when both are long", () => {
    expect(omitted(written(10, "a".repeat(100), "b".repeat(50)))).toEqual([95, 45])
    expect(omitted(written(10, "a".repeat(100), "bbbbb"))).toEqual([95, 0])
    expect(omitted(written(11, "a".repeat(100), "b".repeat(50)))).toEqual([94, 45])
  })

  it("never gives more than the budget", () => {
    forSeeds(500, ({ int }) => {
      const [limit, o, e] = [int(0, 60), int(0, 60), int(0, 60)]
      const all = written(limit, "o".repeat(o), "e".repeat(e))
      expect(o + e - omitted(all)[0] - omitted(all)[1]).toBe(Math.min(limit, o + e))
    })
  })

  it("keeps a stream up to where it is no text, and the other whole", () => {
    const all = written(100, Uint8Array.of(0x61, 0x62, 0xff, 0x63), "fine")
    expect(all.invalidUtf8).toEqual({ stream: "stdout", offset: 2 })
    expect(all.take()).toMatchObject({ stdout: "ab", stderr: "fine", stdoutBytes: 4, stdoutBytesOmitted: 2 })
  })

  it("has no character that was begun in one piece and broken off in the next", () => {
    const all = new OutputCollector(100)
    all.push("stderr", Uint8Array.of(0x61, 0xe2))
    all.push("stderr", Uint8Array.of(0x82, 0x61))
    expect(all.invalidUtf8).toEqual({ stream: "stderr", offset: 1 })
    expect(all.take()).toMatchObject({ stderr: "a", stderrBytes: 4, stderrBytesOmitted: 3 })
  })
})
