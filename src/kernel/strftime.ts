/**
 * Formats times as strftime(3) and GNU date do. `Intl` has no format strings, and GNU's
 * flags and widths (`%-d`, `%^a`, `%3N`) go beyond strftime(3). Source: strftime(3), date(1).
 */
import { zoneOffset } from "./zoneOffset.ts"

const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ")
const months = "January February March April May June July August September October November December".split(" ")

const billion = 1_000_000_000n
const dayMillis = 86_400_000
const maxWidth = 1024

/**
 * Maximum length of a format in UTF-16 units, so that its text has less than 2 million: it is formatted in one piece.
 * Code that takes formats from callers checks this limit.
 */
export const maxFormatLength = 8_192

/** The year and the number of the week that ISO 8601 counts a date to. */
const isoWeek = (date: Date): readonly [year: number, week: number] => {
  const day = (date.getUTCDay() + 6) % 7
  const thursday = new Date(date.getTime() + (3 - day) * dayMillis)
  const year = thursday.getUTCFullYear()
  return [year, Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / dayMillis / 7) + 1]
}

const dayOfYear = (date: Date): number => {
  const year = date.getUTCFullYear()
  return Math.floor((Date.UTC(year, date.getUTCMonth(), date.getUTCDate()) - Date.UTC(year, 0, 1)) / dayMillis)
}

/** The number of the week of the year, if weeks start `shift` days after Sunday. */
const weekOfYear = (date: Date, shift: number): number =>
  Math.floor((dayOfYear(date) + 7 - (date.getUTCDay() + 7 - shift) % 7) / 7)

/** Conversions that are short for a format of other conversions. */
const composites: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  r: "%I:%M:%S %p",
  R: "%H:%M",
  T: "%H:%M:%S",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
}

const texts: Readonly<Record<string, (date: Date) => string>> = {
  "%": () => "%",
  a: (date) => (days[date.getUTCDay()] ?? "").slice(0, 3),
  A: (date) => days[date.getUTCDay()] ?? "",
  b: (date) => (months[date.getUTCMonth()] ?? "").slice(0, 3),
  B: (date) => months[date.getUTCMonth()] ?? "",
  h: (date) => (months[date.getUTCMonth()] ?? "").slice(0, 3),
  n: () => "\n",
  p: (date) => date.getUTCHours() < 12 ? "AM" : "PM",
  P: (date) => date.getUTCHours() < 12 ? "am" : "pm",
  t: () => "\t",
}

const numbers: Readonly<Record<string, readonly [value: (date: Date) => number, width: number, padding: string]>> = {
  C: [(date) => Math.floor(date.getUTCFullYear() / 100), 2, "0"],
  d: [(date) => date.getUTCDate(), 2, "0"],
  e: [(date) => date.getUTCDate(), 2, " "],
  g: [(date) => isoWeek(date)[0] % 100, 2, "0"],
  G: [(date) => isoWeek(date)[0], 4, "0"],
  H: [(date) => date.getUTCHours(), 2, "0"],
  I: [(date) => date.getUTCHours() % 12 || 12, 2, "0"],
  j: [(date) => dayOfYear(date) + 1, 3, "0"],
  k: [(date) => date.getUTCHours(), 2, " "],
  l: [(date) => date.getUTCHours() % 12 || 12, 2, " "],
  m: [(date) => date.getUTCMonth() + 1, 2, "0"],
  M: [(date) => date.getUTCMinutes(), 2, "0"],
  q: [(date) => Math.floor(date.getUTCMonth() / 3) + 1, 1, "0"],
  S: [(date) => date.getUTCSeconds(), 2, "0"],
  u: [(date) => date.getUTCDay() || 7, 1, "0"],
  U: [(date) => weekOfYear(date, 0), 2, "0"],
  V: [(date) => isoWeek(date)[1], 2, "0"],
  w: [(date) => date.getUTCDay(), 1, "0"],
  W: [(date) => weekOfYear(date, 1), 2, "0"],
  y: [(date) => date.getUTCFullYear() % 100, 2, "0"],
  Y: [(date) => date.getUTCFullYear(), 4, "0"],
}

/** Formats an offset from UTC: `+0100`, `+01:00`, `+01:00:00`. */
const formatOffset = (offset: number, colons: number): string => {
  const minutes = Math.abs(offset) / 60_000
  const two = (value: number): string => `${Math.floor(value)}`.padStart(2, "0")
  const seconds = colons === 2 ? ":00" : ""
  return (offset < 0 ? "-" : "+") + two(minutes / 60) + (colons > 0 ? ":" : "") + two(minutes % 60) + seconds
}

/** Formats a time, in nanoseconds since 1970, as `date +FORMAT` does. An unknown conversion stays as it is. */
export const strftime = (format: string, time: bigint, zone = "UTC"): string => {
  const seconds = time >= 0n || time % billion === 0n ? time / billion : time / billion - 1n
  const nanos = time - seconds * billion
  const millis = Number(seconds) * 1000
  const [offset, zoneName] = zoneOffset(zone, millis)
  const date = new Date(millis + offset)
  const textOf = (letter: string): string | undefined => {
    if (letter === "s") return `${seconds}`
    if (letter === "Z") return zoneName
    const composite = composites[letter]
    return composite === undefined ? texts[letter]?.(date) : fill(composite)
  }
  // A width begins with a digit other than 0, which is a flag: a zero that could be both would be tried as both.
  const fill = (format: string): string =>
    format.replace(
      /%([-_0^#]*)((?:[1-9][0-9]*)?)(:*)([a-zA-Z%])/g,
      (all, flags: string, width: string, colons: string, letter: string) => {
        if (letter === "z") return formatOffset(offset, colons.length)
        if (letter === "N") {
          const digits = `${nanos}`.padStart(9, "0")
          return flags.includes("-")
            ? digits.replace(/0+$/, "") || "0"
            : width === ""
            ? digits
            : digits.slice(0, Number(width))
        }
        if (colons !== "") return all
        const minWidth = Math.min(maxWidth, Number(width))
        const number = numbers[letter]
        if (number !== undefined) {
          const size = flags.includes("-") ? 1 : Math.max(number[1], minWidth)
          return `${number[0](date)}`.padStart(size, flags.includes("_") ? " " : flags.includes("0") ? "0" : number[2])
        }
        const text = textOf(letter)
        if (text === undefined) return all
        const swapsToLower = flags.includes("#") && (letter === "p" || letter === "Z")
        const cased = flags.includes("^") || (flags.includes("#") && !swapsToLower)
          ? text.toUpperCase()
          : swapsToLower
          ? text.toLowerCase()
          : text
        return cased.padStart(minWidth, flags.includes("0") ? "0" : " ")
      },
    )
  return fill(format)
}
