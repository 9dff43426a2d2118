import { describe, expect, it } from "@effect/vitest"
import { OutputCollector } from "../../src/code/OutputCollector.ts"
import { forSeeds } from "../support/random.ts"

const encoder = new TextEncoder()

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

  it("leaves the unused budget of a short stream to the long one", () => {
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

  it("keeps a stream up to its first invalid byte, and all of the other", () => {
    const all = written(100, Uint8Array.of(0x61, 0x62, 0xff, 0x63), "fine")
    expect(all.invalidUtf8).toEqual({ stream: "stdout", offset: 2 })
    expect(all.take()).toMatchObject({ stdout: "ab", stderr: "fine", stdoutBytes: 4, stdoutBytesOmitted: 2 })
  })

  it("omits a character that starts in one piece and breaks off in the next", () => {
    const all = new OutputCollector(100)
    all.push("stderr", Uint8Array.of(0x61, 0xe2))
    all.push("stderr", Uint8Array.of(0x82, 0x61))
    expect(all.invalidUtf8).toEqual({ stream: "stderr", offset: 1 })
    expect(all.take()).toMatchObject({ stderr: "a", stderrBytes: 4, stderrBytesOmitted: 3 })
  })
})
