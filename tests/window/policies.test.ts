import { expect, it } from "@effect/vitest"
import { Window } from "@sluice/shell"
import * as Effect from "effect/Effect"
import { OptionError } from "../../src/base/OptionError.ts"
import { cut } from "./support.ts"

const bytes = (text: string): number => new TextEncoder().encode(text).length

it.effect("finalOnly emits one window at the end of the stream", () =>
  Effect.gen(function* () {
    expect(yield* cut(Window.finalOnly, "a\n\n", "b", "", "\nc")).toEqual(["a\n\nb\nc"])
    expect(yield* cut(Window.finalOnly)).toEqual([])
    expect(yield* cut(Window.finalOnly, "", "")).toEqual([])
  }))

it.effect("lineCount cuts inside a chunk: every window but the last has exactly n lines", () =>
  Effect.gen(function* () {
    expect(yield* cut(Window.lineCount(2), "1\n2\n3\n4\n5\n")).toEqual(["1\n2\n", "3\n4\n", "5\n"])
    expect(yield* cut(Window.lineCount(1), "1\n\n3\n")).toEqual(["1\n", "\n", "3\n"])
    expect(yield* cut(Window.lineCount(3), "1\n2\n3\n4\n5\n6\n")).toEqual(["1\n2\n3\n", "4\n5\n6\n"])
  }))

it.effect("lineCount counts a line that came in pieces once, and keeps the unfinished last one", () =>
  Effect.gen(function* () {
    expect(yield* cut(Window.lineCount(2), "o", "ne", "\ntwo\nth", "", "ree\n4")).toEqual(["one\ntwo\n", "three\n4"])
    expect(yield* cut(Window.lineCount(2), "no newline")).toEqual(["no newline"])
  }))

it.effect("lineCount keeps CRLF as it came, also when it came apart", () =>
  Effect.gen(function* () {
    expect(yield* cut(Window.lineCount(1), "a\r\nb\r", "\nc\rd\r\n")).toEqual(["a\r\n", "b\r\n", "c\rd\r\n"])
  }))

it.effect("paragraph cuts after a blank line and puts further ones before the next paragraph", () =>
  Effect.gen(function* () {
    expect(yield* cut(Window.paragraph, "a\nb\n\nc\n\n\n\nd\n")).toEqual(["a\nb\n\n", "c\n\n", "\n\nd\n"])
    expect(yield* cut(Window.paragraph, "\n\n\na\n\n")).toEqual(["\n\n\na\n\n"])
    expect(yield* cut(Window.paragraph, "a\n", "\nb", "\n", "\n", "c")).toEqual(["a\n\n", "b\n\n", "c"])
  }))

it.effect("paragraph takes a line of spaces, tabs or CRLF for blank, and no line with a letter", () =>
  Effect.gen(function* () {
    expect(yield* cut(Window.paragraph, "a\r\n\r\nb\n \t \nc\n x\nd")).toEqual(["a\r\n\r\n", "b\n \t \n", "c\n x\nd"])
    expect(yield* cut(Window.paragraph, "a\n ", " ", "\t\r", "\nb")).toEqual(["a\n  \t\r\n", "b"])
    expect(yield* cut(Window.paragraph, "a\n ", "x\n", "b\n")).toEqual(["a\n x\nb\n"])
  }))

it.effect("byteCount fills windows with whole characters, up to n bytes of UTF-8", () =>
  Effect.gen(function* () {
    expect(yield* cut(Window.byteCount(3), "abcdefg")).toEqual(["abc", "def", "g"])
    expect(yield* cut(Window.byteCount(4), "aé€😀b")).toEqual(["aé", "€", "😀", "b"])
    expect(yield* cut(Window.byteCount(4), "ab", "c", "", "é", "€")).toEqual(["abc", "é", "€"])
  }))

it.effect("byteCount puts a character of more than n bytes into a window of its own", () =>
  Effect.gen(function* () {
    expect(yield* cut(Window.byteCount(1), "a😀é")).toEqual(["a", "😀", "é"])
    expect(yield* cut(Window.byteCount(2), "a€b")).toEqual(["a", "€", "b"])
  }))

it.effect("byteCount never splits a surrogate pair, not even one that came in two chunks", () =>
  Effect.gen(function* () {
    expect(yield* cut(Window.byteCount(3), "ab\ud83d", "\ude00cd")).toEqual(["ab", "😀", "cd"])
    expect(yield* cut(Window.byteCount(5), "a\ud83d", "", "\ude00b")).toEqual(["a😀", "b"])
    // A half that stays alone is not lost: it counts as U+FFFD.
    expect(yield* cut(Window.byteCount(4), "a\ud83d", "bcd")).toEqual(["a\ud83d", "bcd"])
    expect(yield* cut(Window.byteCount(4), "abc\ud83d")).toEqual(["abc", "\ud83d"])
  }))

it.effect("byteCount is exact over texts longer than its buffer", () =>
  Effect.gen(function* () {
    const text = "é".repeat(100_000) + "€".repeat(50_000)
    const windows = yield* cut(Window.byteCount(131_073), text.slice(0, 90_001), text.slice(90_001))
    expect(windows.join("")).toBe(text)
    // 65,536 times two bytes; then one more of two would not fit into the odd byte.
    expect(windows.map(bytes)).toEqual([131_072, 131_073, 87_855])
  }))

it.effect("any cuts where the first of its policies does, and all of them restart there", () =>
  Effect.gen(function* () {
    const policy = Window.any(Window.lineCount(2), Window.byteCount(6))
    expect(yield* cut(policy, "a\nb\ncdefghijk\nl\nm\n")).toEqual(["a\nb\n", "cdefgh", "ijk\nl\n", "m\n"])
    expect(yield* cut(Window.any(Window.paragraph, Window.byteCount(5)), "abcd\n\nx\n\ny")).toEqual([
      "abcd\n",
      "\nx\n\n",
      "y",
    ])
  }))

it.effect("any finds a rare end in a long text, wherever the strides fall", () =>
  Effect.gen(function* () {
    for (const length of [254, 255, 256, 257, 768, 5000, 200_000]) {
      const first = "😀".repeat(length / 2) + "\n\n"
      expect(yield* cut(Window.any(Window.paragraph, Window.lineCount(9)), first + "rest")).toEqual([first, "rest"])
    }
  }))

it.effect("any lets byteCount see no half of a character, wherever the strides fall", () =>
  Effect.gen(function* () {
    for (const lead of ["", "a", "ab", "abc"]) {
      const text = lead + "😀".repeat(3000)
      const policy = Window.any(Window.byteCount(1001), Window.paragraph)
      expect(yield* cut(policy, text)).toEqual(yield* cut(Window.byteCount(1001), text))
    }
  }))

it.effect("a custom policy is called once for every text, with the position at which the window continues", () =>
  Effect.gen(function* () {
    const asked: Array<readonly [text: string, from: number]> = []
    const semicolons = Window.makePolicy({
      name: "semicolons",
      open: () => (text, from) => {
        asked.push([text, from])
        return text.indexOf(";", from) + 1 || -1
      },
    })
    expect(yield* cut(semicolons, "a;b;c", "d", ";")).toEqual(["a;", "b;", "cd;"])
    expect(asked).toEqual([["a;b;c", 0], ["a;b;c", 2], ["a;b;c", 4], ["d", 0], [";", 0]])
  }))

it.effect("a custom policy may end a window before the new text, and learns whether the next starts a line", () =>
  Effect.gen(function* () {
    const starts: Array<boolean> = []
    const beforeHash = Window.makePolicy({
      open: ({ startsLine }) => {
        starts.push(startsLine)
        let first = true
        return (text, from) => {
          const found = text.indexOf("#", first ? from + 1 : from)
          first = false
          return found
        }
      },
    })
    expect(yield* cut(beforeHash, "#a", "\n", "#b", "#c\n#")).toEqual(["#a\n", "#b", "#c\n", "#"])
    expect(starts).toEqual([true, true, false, true])
  }))

it.effect("a policy with invalid results loses no text, repeats none, and splits no character", () =>
  Effect.gen(function* () {
    for (const answer of [0, 0.5, -1, -7, Number.NaN, Infinity, 1e9]) {
      const windows = yield* cut(Window.makePolicy({ open: () => () => answer }), "a😀", "b")
      expect(windows.join(""), String(answer)).toBe("a😀b")
      expect(windows).not.toContain("")
    }
    expect(yield* cut(Window.makePolicy({ open: () => (_, from) => from + 1 }), "a😀b")).toEqual(["a", "😀", "b"])
  }))

it("policies refuse invalid numbers, and are named as on the command line", () => {
  for (const n of [0, -1, 1.5, Number.NaN, Infinity]) {
    expect(() => Window.lineCount(n)).toThrow(OptionError)
    expect(() => Window.byteCount(n)).toThrow(OptionError)
  }
  expect(Window.any(Window.lineCount(5), Window.silence("2 seconds"), Window.byteCount(9), Window.paragraph).name)
    .toBe("lines:5,silence:2000,bytes:9,paragraph")
  expect(Window.finalOnly.name).toBe("final")
})

it("any refuses an empty list", () => {
  // @ts-expect-error without a policy
  expect(() => Window.any()).toThrow(OptionError)
  // @ts-expect-error plain JavaScript can pass anything
  expect(() => Window.any(Window.finalOnly, undefined)).toThrow(/^Window\.any: write at least one policy/)
})
