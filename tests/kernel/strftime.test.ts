import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { strftime } from "../../src/kernel/strftime.ts"
import { zoneOffset } from "../../src/kernel/zoneOffset.ts"
import { random } from "../support/random.ts"

const billion = 1_000_000_000n

/** Thursday, 2 January 2025, 03:04:05.006000007 UTC. */
const time = 1_735_787_045n * billion + 6_000_007n

it.each([
  // Dates.
  ["%Y-%m-%d %F %D %x", "2025-01-02 2025-01-02 01/02/25 01/02/25"],
  ["%a %A %b %B %h", "Thu Thursday Jan January Jan"],
  ["%C %y %e|%j %q", "20 25  2|002 1"],
  ["%u %w %U %W", "4 4 00 00"],
  ["%G-W%V %g", "2025-W01 25"],
  // Times.
  ["%H:%M:%S %T %X %R", "03:04:05 03:04:05 03:04:05 03:04"],
  ["%I %l %k %p %P %r", "03  3  3 AM am 03:04:05 AM"],
  ["%s %N %3N %-N", "1735787045 006000007 006 006000007"],
  ["%c", "Thu Jan  2 03:04:05 2025"],
  // Zones and characters.
  ["%z %:z %::z %Z", "+0000 +00:00 +00:00:00 UTC"],
  ["a%nb%tc%%", "a\nb\tc%"],
  // Flags and widths.
  ["%-d %-m %-H %-I", "2 1 3 3"],
  ["%_d|%_m|%_H|%05d|%5d", " 2| 1| 3|00002|00002"],
  ["%^a %^B %#p %#Z", "THU JANUARY am utc"],
  ["%10A|%010A", "  Thursday|00Thursday"],
  // What is not a conversion stays.
  ["%i %", "%i %"],
])("formats %s", (format, expected) => {
  expect(strftime(format, time)).toBe(expected)
})

it.each([
  [0n, "1970-01-01 00:00:00.000000000"],
  [-1n, "1969-12-31 23:59:59.999999999"],
  [951_782_400n * billion, "2000-02-29 00:00:00.000000000"],
  [253_402_300_799n * billion, "9999-12-31 23:59:59.000000000"],
])("formats %d nanoseconds since 1970", (nanos, expected) => {
  expect(strftime("%F %T.%N", nanos)).toBe(expected)
})

it.each([
  ["UTC", 0, "UTC"],
  ["GMT", 0, "GMT"],
  ["", 0, "UTC"],
  ["EST5", -5, "EST"],
  ["<+0530>-5:30", 5.5, "+0530"],
  ["Asia/Tokyo", 9, undefined],
  ["No/Such", 0, ""],
  ["Nowhere/City", 0, "Nowhere"],
  [":Asia/Tokyo", 9, "JST"],
  ["Asia/Kathmandu", 5.75, "+0545"],
  ["Europe/Paris", 1, "CET"],
  ["CET-1CEST,M3.5.0,M10.5.0/3", 1, "CET"],
])("has the offset of the zone %s", (zone, hours, name) => {
  const [offset, found] = zoneOffset(zone, Number(time / 1_000_000n))
  expect(offset).toBe(hours * 3_600_000)
  if (name !== undefined) expect(found).toBe(name)
})

it("follows a zone from winter to summer", () => {
  const at = (text: string) => BigInt(Date.parse(text)) * 1_000_000n
  expect(strftime("%F %R %:z", at("2024-03-31T00:59:00Z"), "Europe/Berlin")).toBe("2024-03-31 01:59 +01:00")
  expect(strftime("%F %R %:z", at("2024-03-31T01:00:00Z"), "Europe/Berlin")).toBe("2024-03-31 03:00 +02:00")
})

const hasGnuDate = /GNU/.test(spawnSync("/usr/bin/date", ["--version"], { encoding: "utf8" }).stdout ?? "")

it.skipIf(!hasGnuDate).each([
  ["UTC0", "%Y %C %y %G %g %m %d %e %j %a %A %b %B %u %w %U %V %W %H %I %k %l %M %S %N %3N %p %P %s %z %:z %Z %q"],
  ["UTC0", "%c|%D|%F|%r|%R|%T|%x|%X|%_d|%-d|%-m|%_H|%^a|%#p|%-j|%_j|%04y|%3d|%12B|%-I|%_I|%::z"],
  ["Europe/Berlin", "%F %T %z %:z %s"],
  ["America/St_Johns", "%F %T %z %::z"],
  ["EST5", "%F %T %z %Z"],
])("formats as the real date does in %s: %s (needs GNU date)", (zone, format) => {
  const { int } = random(zone.length + format.length)
  // From 1980 to 2037: beyond it ICU and the system's zone files disagree on future rules.
  const times = Array.from({ length: 500 }, () => [int(315_532_800, 2_145_916_800), int(0, 999_999_999)] as const)
  const { status, stderr, stdout } = spawnSync("/usr/bin/date", ["-f", "-", `+${format}`], {
    encoding: "utf8",
    env: { LC_ALL: "C", TZ: zone },
    input: times.map(([seconds, nanos]) => `@${seconds}.${`${nanos}`.padStart(9, "0")}\n`).join(""),
  })
  expect([status, stderr]).toEqual([0, ""])
  const found = times.map(([seconds, nanos]) => strftime(format, BigInt(seconds) * billion + BigInt(nanos), zone))
  expect(found).toEqual(stdout.split("\n").slice(0, times.length))
})
