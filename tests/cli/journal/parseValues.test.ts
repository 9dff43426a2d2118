import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { shortIdLength } from "../../../src/cli/journal/formatValues.ts"
import { parseCountFrom } from "../../../src/cli/parseValues.ts"
import {
  parseAge,
  parseHead,
  parseMaxCount,
  parseSince,
  parseSize,
  parseSpeed,
  resolveInstant,
} from "../../../src/cli/journal/parseValues.ts"
import { escapeInvisible } from "../../../src/base/escapeInvisible.ts"

const refusalOf = (parsed: Result.Result<unknown, string>): string | undefined =>
  Result.isFailure(parsed) ? parsed.failure : undefined

it.each([
  ["500ms", 500],
  ["30m", 1_800_000],
  ["12h", 43_200_000],
  ["30d", 2_592_000_000],
  ["1.5d", 129_600_000],
  ["2w", 1_209_600_000],
  ["0d", 0],
])("reads the age %s", (text, millis) => {
  expect(parseAge(text)).toEqual(Result.succeed(millis))
})

it.each(["", "30", "d", "-1d", "1 d", "1y", "1D", "99999999999999d"])("refuses '%s' as an age", (text) => {
  expect(refusalOf(parseAge(text))).toContain(`"${text}" is `)
})

it("reads a time as an age or a date, and nothing else", () => {
  const now = Date.UTC(2026, 10, 22)
  const instant = (text: string): number => resolveInstant(Result.getOrThrow(parseSince(text)), now)
  expect(instant("1h")).toBe(now - 3_600_000)
  expect(instant("2026-11-20")).toBe(Date.UTC(2026, 10, 20))
  expect(instant("2026-11-20T10:30Z")).toBe(Date.UTC(2026, 10, 20, 10, 30))
  expect(instant("2026-11-20 10:30:05.5Z")).toBe(Date.UTC(2026, 10, 20, 10, 30, 5, 500))
  expect(instant("2026-11-20T10:30:00+02:00")).toBe(Date.UTC(2026, 10, 20, 8, 30))
  // Without a zone it is a time of here.
  expect(instant("2026-11-20T10:30:00")).toBe(new Date(2026, 10, 20, 10, 30).getTime())
  for (const text of ["", "5", "last week", "2026", "2026-11", "22.11.2026", "ago", "5 ago", "in 2h", "tomorrow"]) {
    expect(refusalOf(parseSince(text)), text).toContain(`"${text}" is not a time; write an age`)
  }
  expect(["now", "0s"].map(instant)).toEqual([now, now])
  for (const text of ["2 hours ago", "2 hours", "2h ago", "2 H AGO", "120 minutes ago", "120 min ago"]) {
    expect(instant(text), text).toBe(now - 7_200_000)
  }
  expect(["1 day ago", "1 week ago"].map(instant)).toEqual([now - 86_400_000, now - 7 * 86_400_000])
  // Days begin here, not in Greenwich.
  const today = new Date(2026, 10, 22, 15).getTime()
  const at = (text: string): number => resolveInstant(Result.getOrThrow(parseSince(text)), today)
  expect(at("today")).toBe(new Date(2026, 10, 22).getTime())
  expect(at("yesterday")).toBe(new Date(2026, 10, 21).getTime())
  for (const text of ["2026-13-40", "2026-02-30", "2025-02-29T10:00:00Z"]) {
    expect(refusalOf(parseSince(text))).toBe(`"${text}" is not a valid date`)
  }
})

it("reads the requested number", () => {
  expect(parseMaxCount("20")).toEqual(Result.succeed(20))
  expect(parseMaxCount("all")).toEqual(Result.succeed(Infinity))
  for (const text of ["0", "-1", "1.5", "", "ALL", "9007199254740993"]) {
    expect(refusalOf(parseMaxCount(text)), text).toContain(`"${text}" is neither`)
  }
  expect(parseCountFrom(1)("1")).toEqual(Result.succeed(1))
  expect(refusalOf(parseCountFrom(1)("0"))).toBe(`"0" is not a whole number from 1`)
})

it.each([["1", 1], ["0.5", 0.5], ["10x", 10], ["max", Infinity]])("reads the speed %s", (text, speed) => {
  expect(parseSpeed(text)).toEqual(Result.succeed(speed))
})

it.each(["0", "-1", "fast", "", "1e3", "x"])("refuses '%s' as a speed", (text) => {
  expect(refusalOf(parseSpeed(text))).toContain(`"${text}" is not a speed`)
})

it("parses a head as it is printed, and refuses a shorter one", () => {
  const hash = "0123456789abcdef".repeat(4)
  expect(parseHead(`17:${hash}`)).toEqual(Result.succeed({ position: 17, hash }))
  expect(parseHead(`17:${hash.toUpperCase()}`)).toEqual(Result.succeed({ position: 17, hash }))
  for (const text of [hash, `17:${hash.slice(1)}`, `:${hash}`, `-1:${hash}`, `17:${hash}0`]) {
    expect(refusalOf(parseHead(text)), text).toContain("is not a head")
  }
})

it("reads the size of a terminal", () => {
  expect(parseSize("132x50")).toEqual(Result.succeed({ cols: 132, rows: 50 }))
  for (const text of ["80", "80x", "0x24", "80*24", "80x99999"]) expect(refusalOf(parseSize(text)), text).toBeDefined()
})

it("shortens ids as far as they differ from their neighbours", () => {
  expect(shortIdLength("0193aaaa-bbbb-7000", [])).toBe(8)
  expect(shortIdLength("0193aaaa-bbbb-7000", ["0193aaaa-bbbc-7000", "0192aaaa-0000-7000"])).toBe(13)
  expect(shortIdLength("0193aaaa-bbbb-7000", [undefined, "0193aaaa-bbbb-7001"])).toBe(18)
  // No longer than it is, not told from itself, and no dash at the end.
  expect(shortIdLength("c1", ["c12"])).toBe(2)
  expect(shortIdLength("0193aaaa-bbbb-7000", ["0193aaaa-bbbb-7000"])).toBe(8)
  expect(shortIdLength("0193aaaa-bbbb", ["0193aaaa_"])).toBe(10)
})

it("escapes characters that are invisible or move the text", () => {
  expect(escapeInvisible("a\nb\tc\r\x1b[31m\x07\u009b\u202e\u2028")).toBe(
    "a\\nb\\tc\\r\\u001b[31m\\u0007\\u009b\\u202e\\u2028",
  )
  expect(escapeInvisible("plain é 日本 😀 \\n")).toBe("plain é 日本 😀 \\n")
})
