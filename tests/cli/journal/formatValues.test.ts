import { expect, it } from "@effect/vitest"
import { agoText, countText, durationText, isoText, sizeText, whenText } from "../../../src/cli/journal/formatValues.ts"

it.each([
  [0, "0 B"],
  [17, "17 B"],
  [1_023, "1023 B"],
  [1_024, "1.0 KiB"],
  [1_536, "1.5 KiB"],
  [10_200, "10 KiB"],
  [1_048_570, "1.0 MiB"],
  [13_000_000, "12 MiB"],
  [5 * 1024 ** 3, "5.0 GiB"],
  [3 * 1024 ** 5, "3072 TiB"],
])("formats %d bytes as %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

it.each([
  [0, "0ms"],
  [12.4, "12ms"],
  [999, "999ms"],
  [999.6, "1.0s"],
  [1_240, "1.2s"],
  [59_949, "59.9s"],
  [59_960, "1m00s"],
  [125_000, "2m05s"],
  [3_599_600, "1h00m"],
  [3_725_000, "1h02m"],
  [86_400_000, "1d00h"],
  [273_600_000, "3d04h"],
])("formats %d milliseconds as %s", (millis, text) => {
  expect(durationText(millis)).toBe(text)
})

it("shows the age of a time, or its date when it is old", () => {
  const now = Date.UTC(2026, 10, 22)
  const ago = (millis: number): string => agoText(now - millis, now)
  expect([0, 900, 1_000, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 30 * 86_400_000].map(ago)).toEqual([
    "now",
    "now",
    "1s ago",
    "59s ago",
    "1m ago",
    "59m ago",
    "1h ago",
    "1d ago",
    "30d ago",
  ])
  expect(ago(31 * 86_400_000)).toBe("2026-10-22")
  // Another machine's clock may be ahead of ours.
  expect(ago(-500)).toBe("now")
  expect(ago(-60_000)).toBe("2026-11-22T00:01:00.000Z")
})

it("shows a date, with its age when it is recent", () => {
  const now = Date.UTC(2026, 10, 22)
  expect(whenText(now - 5_000, now)).toBe("2026-11-21T23:59:55.000Z (5s ago)")
  expect(whenText(now - 40 * 86_400_000, now)).toBe("2026-10-13T00:00:00.000Z")
  expect(whenText(now + 60_000, now)).toBe("2026-11-22T00:01:00.000Z")
})

it("formats a time outside the calendar as its number", () => {
  expect(isoText(0)).toBe("1970-01-01T00:00:00.000Z")
  expect(isoText(1e17)).toBe("100000000000000000")
})

it("uses the singular and the plural", () => {
  expect([0, 1, 1_234].map((count) => countText(count, "entry", "entries"))).toEqual([
    "0 entries",
    "1 entry",
    "1,234 entries",
  ])
})
