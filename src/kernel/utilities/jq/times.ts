/** Implements the functions of dates. Source: jq(1) "Dates", gmtime(3), strptime(3). */
import { maxFormatLength, strftime } from "../../strftime.ts"
import { zoneOffset } from "../../zoneOffset.ts"
import { JqArray, type Value } from "./values.ts"
import { fail } from "./JqError.ts"
import { numberOf } from "./kinds.ts"

const months = "january february march april may june july august september october november december".split(" ")
const days = "sunday monday tuesday wednesday thursday friday saturday".split(" ")
const maxSeconds = 8.64e12

/** Year, month, day, hour, minute, second, day of the week and of the year. */
const partsOf = (millis: number, seconds: number): JqArray => {
  const date = new Date(millis)
  const year = date.getUTCFullYear()
  const start = new Date(0)
  start.setUTCFullYear(year, 0, 1)
  return new JqArray([
    year,
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    seconds,
    date.getUTCDay(),
    Math.floor((millis - start.getTime()) / 86_400_000),
  ])
}

/** Takes a number of seconds apart, as the clock of a zone shows it. */
export const breakTime = (value: Value, zone: string, name: string): JqArray => {
  const seconds = numberOf(value)
  if (seconds === undefined) return fail(`${name}() requires numeric inputs`)
  if (!(Math.abs(seconds) < maxSeconds)) return fail("error converting number of seconds since epoch to datetime")
  const whole = Math.trunc(seconds)
  const millis = whole * 1000 + zoneOffset(zone, whole * 1000)[0]
  return partsOf(millis, new Date(millis).getUTCSeconds() + (seconds - Math.floor(seconds)))
}

const secondsOf = (value: Value, message: string): number => {
  const items = value instanceof JqArray ? value.items : fail(message)
  const numbers = items.slice(0, 8).map((item) => numberOf(item) ?? fail(message))
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers.map(Math.trunc)
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  date.setUTCHours(hour, minute, second)
  const seconds = date.getTime() / 1000
  return Number.isNaN(seconds) ? fail("invalid gmtime representation") : seconds
}

export const mktime = (value: Value): Value => {
  if (!(value instanceof JqArray)) return fail("mktime requires array inputs")
  if (value.length < 6) return fail("mktime requires parsed datetime inputs")
  return secondsOf(value, "mktime requires parsed datetime inputs")
}

export const formatTime = (value: Value, format: Value, zone: string, name: string): string => {
  const isNumber = numberOf(value) !== undefined
  if (!isNumber && !(value instanceof JqArray)) return fail(`${name}/1 requires parsed datetime inputs`)
  if (typeof format !== "string") return fail(`${name}/1 requires a string format`)
  if (format.length > maxFormatLength) return fail(`${name}/1: the format is too long`)
  const parts = isNumber ? breakTime(value, zone, name === "strftime" ? "gmtime" : "localtime") : value
  if (parts instanceof JqArray && parts.length < 8) return fail(`${name}/1 requires parsed datetime inputs`)
  const seconds = secondsOf(parts, `${name}/1 requires parsed datetime inputs`)
  // The parts are those of the zone's clock already.
  const offset = zone === "UTC" ? 0 : zoneOffset(zone, seconds * 1000)[0] / 1000
  return strftime(format, BigInt(seconds - offset) * 1_000_000_000n, zone)
}

interface Parsed {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  weekday: number | undefined
  yearDay: number | undefined
  afternoon: boolean | undefined
  epoch: number | undefined
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const composites: Readonly<Record<string, string>> = {
  ...{ c: "%a %b %e %H:%M:%S %Y", D: "%m/%d/%y", F: "%Y-%m-%d", R: "%H:%M", T: "%H:%M:%S", r: "%I:%M:%S %p" },
  ...{ x: "%m/%d/%y", X: "%H:%M:%S" },
}

/** Reads a text by a format from an index on; the index after it, or -1. */
const parseBy = (text: string, start: number, format: string, into: Parsed): number => {
  let at = start
  const digits = (max: number, low: number, high: number, sign = false): number | undefined => {
    const pattern = new RegExp(`[ \\t]*(${sign ? "[+-]?" : ""}\\d{1,${max}})`, "y")
    pattern.lastIndex = at
    const found = pattern.exec(text)
    const number = Number(found?.[1] ?? NaN)
    if (found === null || number < low || number > high) return undefined
    at += found[0].length
    return number
  }
  const word = (names: ReadonlyArray<string>): number | undefined => {
    const rest = text.slice(at, at + 10).toLowerCase()
    const index = names.findIndex((name) => rest.startsWith(name.slice(0, 3)))
    const name = names[index]
    if (name === undefined) return undefined
    at += rest.startsWith(name) ? name.length : 3
    return index
  }
  const readers: Readonly<Record<string, () => boolean>> = {
    Y: () => (into.year = digits(4, 0, 9999, true) ?? NaN) >= -9999,
    m: () => (into.month = (digits(2, 1, 12) ?? NaN) - 1) >= 0,
    d: () => (into.day = digits(2, 1, 31) ?? NaN) >= 0,
    H: () => (into.hour = digits(2, 0, 23) ?? NaN) >= 0,
    I: () => (into.hour = (digits(2, 1, 12) ?? NaN) % 12) >= 0,
    M: () => (into.minute = digits(2, 0, 59) ?? NaN) >= 0,
    S: () => (into.second = digits(2, 0, 61) ?? NaN) >= 0,
    j: () => (into.yearDay = (digits(3, 1, 366) ?? NaN) - 1) >= 0,
    y: () => {
      const year = digits(2, 0, 99) ?? NaN
      into.year = year + (year < 69 ? 2000 : 1900)
      return year >= 0
    },
    b: () => (into.month = word(months) ?? NaN) >= 0,
    a: () => (into.weekday = word(days)) !== undefined,
    u: () => (into.weekday = (digits(1, 1, 7) ?? NaN) % 7) >= 0,
    w: () => (into.weekday = digits(1, 0, 6) ?? NaN) >= 0,
    U: () => digits(2, 0, 53) !== undefined,
    C: () => digits(2, 0, 99) !== undefined,
    s: () => (into.epoch = digits(18, 0, maxSeconds) ?? NaN) >= 0,
    p: () => {
      const half = word(["am ", "pm "].map((name) => name.trim()))
      into.afternoon = half === 1
      if (half !== undefined) at -= 1
      return half !== undefined
    },
    z: () => {
      const found = /^[ \t]*(?:Z|[+-]\d\d(?::?\d\d)?)/.exec(text.slice(at, at + 20))
      at += found?.[0].length ?? 0
      return found !== null
    },
    // glibc takes no name of a zone.
    Z: () => {
      at += /^[A-Za-z]*/.exec(text.slice(at, at + 64))?.[0].length ?? 0
      return true
    },
  }
  const same: Readonly<Record<string, string>> = { e: "d", k: "H", l: "I", B: "b", h: "b", A: "a", W: "U", V: "U" }
  for (let index = 0; index < format.length; index++) {
    let letter = format[index] ?? ""
    if (/\s/.test(letter)) {
      while (/\s/.test(text[at] ?? "")) at++
      continue
    }
    if (letter !== "%") {
      if (text[at++] !== letter) return -1
      continue
    }
    letter = format[++index] ?? ""
    while (/[-_0^#EO]/.test(letter)) letter = format[++index] ?? ""
    const composite = composites[letter]
    if (composite !== undefined) {
      at = parseBy(text, at, composite, into)
      if (at < 0) return -1
    } else if (letter === "n" || letter === "t") { while (/\s/.test(text[at] ?? "")) at++ }
    else if (letter === "%") { if (text[at++] !== "%") return -1 }
    else if (readers[same[letter] ?? letter]?.() !== true) return -1
  }
  return at
}

export const strptime = (value: Value, format: Value): Value => {
  if (typeof value !== "string" || typeof format !== "string") {
    return fail("strptime/1 requires string inputs and arguments")
  }
  if (format.length > maxFormatLength) return fail("strptime/1: the format is too long")
  const parsed: Parsed = {
    ...{ year: 1900, month: 0, day: 0, hour: 0, minute: 0, second: 0 },
    ...{ weekday: undefined, yearDay: undefined, afternoon: undefined, epoch: undefined },
  }
  const end = parseBy(value, 0, format, parsed)
  if (end < 0 || end < value.length && !/\s/.test(value[end] ?? "")) {
    return fail(`date "${value}" does not match format "${format}"`)
  }
  const rest = end < value.length ? [value.slice(end)] : []
  if (parsed.epoch !== undefined) return new JqArray([...breakTime(parsed.epoch, "UTC", "gmtime").items, ...rest])
  if (parsed.afternoon === true) parsed.hour += 12
  const { day, hour, minute, month, second, year } = parsed
  if (day === 0) {
    return new JqArray([year, month, day, hour, minute, second, parsed.weekday ?? 8, parsed.yearDay ?? 367, ...rest])
  }
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  const before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month] ?? 0
  const yearDay = before + day - 1 + (month > 1 && isLeap(year) ? 1 : 0)
  return new JqArray([year, month, day, hour, minute, second, date.getUTCDay(), yearDay, ...rest])
}
