import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../../../src/base/bytes.ts"
import { Files, MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { LineNumberer, readLines } from "../../../src/spell/builtin/readLines.ts"
import { random } from "../../support/random.ts"

const run = <A, E>(program: Effect.Effect<A, E, Files>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))

const number = (text: string, first = 1, maxLines = 100, maxLength = 10_000) => {
  const lines = new LineNumberer(first, maxLines, maxLength)
  lines.push(text)
  return lines.end()
}

describe("numbered lines", () => {
  it("count from one, and end with or without a line end", () => {
    expect(number("a\nb")).toEqual({ text: "     1\ta\n     2\tb", totalLines: 2, nextLine: undefined })
    expect(number("a\r\nb\r\n")).toEqual({ text: "     1\ta\n     2\tb", totalLines: 2, nextLine: undefined })
    expect(number("")).toEqual({ text: "", totalLines: 0, nextLine: undefined })
    expect(number("\n\n")).toEqual({ text: "     1\t\n     2\t", totalLines: 2, nextLine: undefined })
    expect(number("a", 5)).toEqual({ text: "", totalLines: 1, nextLine: undefined })
  })

  it("stop at a number of lines and at a length, and say where to read on", () => {
    expect(number("a\nb\nc\n", 2, 1)).toEqual({ text: "     2\tb", totalLines: 3, nextLine: 3 })
    expect(number("a\nb\nc\n", 1, 10, 9)).toEqual({ text: "     1\ta", totalLines: 3, nextLine: 2 })
    // One line is shown however small the room is: reading on must come to an end.
    expect(number("abc\nd\n", 1, 10, 1)).toMatchObject({ nextLine: 2 })
  })

  it("cut a long line, and say how long it is", () => {
    expect(number("x".repeat(2_500)).text).toBe(`     1\t${"x".repeat(2_000)} … (500 more)`)
    expect(number(`${"x".repeat(2_000)}\r\n`).text).toBe(`     1\t${"x".repeat(2_000)}`)
  })

  it("are the same however the text is cut", () => {
    const { int, pick } = random(7)
    const text = Array.from({ length: 3_000 }, () => pick(["a", "\n", "\r\n", "€", "x".repeat(900)])).join("")
    const whole = number(text, 10, 500, 50_000)
    const lines = new LineNumberer(10, 500, 50_000)
    for (let at = 0; at < text.length;) {
      const length = int(0, 1_500)
      lines.push(text.slice(at, at + length))
      at += length
    }
    expect(lines.end()).toEqual(whole)
  })
})

describe("the lines of a file", () => {
  it("are read from a file that is larger than may be held at once", () =>
    run(Effect.gen(function* () {
      const piece = encodeUtf8(`${"y".repeat(1_023)}\n`.repeat(1_024))
      yield* Files.write("large", Stream.fromIterable(Array.from({ length: 70 }, () => piece)))
      const lines = yield* readLines("large", 70_000, 1, 64_000)
      expect(lines).toMatchObject({ totalLines: 71_680, nextLine: 70_001 })
      expect(lines.text.startsWith(" 70000\tyyy")).toBe(true)
    })))

  it("are those of UTF-16 with its mark, and of UTF-8 with one", () =>
    run(Effect.gen(function* () {
      yield* Files.write("a", Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x62, 0))
      yield* Files.write("b", Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0x0a, 0x62))
      for (const path of ["a", "b"]) expect((yield* readLines(path, 1, 9, 999)).text).toBe("     1\ta\n     2\tb")
    })))

  it("are none of a file that is not text", () =>
    run(Effect.gen(function* () {
      yield* Files.write("image.png", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13))
      expect(yield* Effect.flip(readLines("image.png", 1, 9, 999))).toMatchObject({
        _tag: "NotText",
        path: "image.png",
      })
    })))
})
