/**
 * Dates: as text by a format, and from text.
 *
 * Source: date(1), strftime(3).
 *
 * @module
 */
import { days, months } from "../../shell/builtins/formatTime.ts"

const billion = 1_000_000_000n
const dayMs = 86_400_000
/** Dates of JavaScript end in the year 275760. */
const lastSecond = 8_640_000_000_000

/** Milliseconds that a zone is ahead of UTC at a time. Zones are names that `Intl` knows, or as POSIX has them: `EST5`. */
const zoneOffset = (zone: string, ms: number): readonly [offset: number, name: string] => {
  if (zone === "" || zone === "UTC" || zone === "UTC0" || zone === "GMT") return [0, zone === "GMT" ? "GMT" : "UTC"]
  const posix = /^<?([A-Za-z+-][A-Za-z0-9+-]*?)>?([-+]?[0-9]{1,2})(?::([0-9]{2}))?$/.exec(zone)
  if (posix !== null) {
    const hours = Number(posix[2])
    const minutes = Number(posix[3] ?? "0") * (hours < 0 || posix[2]?.[0] === "-" ? -1 : 1)
    return [-(hours * 60 + minutes) * 60_000, posix[1] ?? ""]
  }
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      day: "numeric",
      hour: "numeric",
      hourCycle: "h23",
      minute: "numeric",
      month: "numeric",
      second: "numeric",
      timeZone: zone,
      timeZoneName: "short",
      year: "numeric",
    })
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
    const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name) ?? "0")
    const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
    return [local - Math.floor(ms / 1000) * 1000, parts.get("timeZoneName") ?? zone]
  } catch {
    return [0, zone]
  }
}

const isoWeek = (date: Date): readonly [year: number, week: number] => {
  const day = (date.getUTCDay() + 6) % 7
  const thursday = new Date(date.getTime() + (3 - day) * dayMs)
  const year = thursday.getUTCFullYear()
  return [year, Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / dayMs / 7) + 1]
}

/** A time, in nanoseconds since 1970, by a format of `date +FORMAT`. */
export const formatTime = (format: string, time: bigint, zone = "UTC"): string => {
  const seconds = time >= 0n || time % billion === 0n ? time / billion : time / billion - 1n
  const nanos = time - seconds * billion
  const ms = Number(seconds) * 1000
  const [offset, zoneName] = zoneOffset(zone, ms)
  const at = new Date(ms + offset)
  const year = at.getUTCFullYear()
  const hour = at.getUTCHours()
  const dayOfYear = Math.floor((Date.UTC(year, at.getUTCMonth(), at.getUTCDate()) - Date.UTC(year, 0, 1)) / dayMs)
  const weekday = at.getUTCDay()
  const minutes = Math.abs(offset) / 60_000
  const zoneText = (colons: number): string => {
    const two = (value: number): string => `${Math.floor(value)}`.padStart(2, "0")
    const tail = colons === 2 ? ":00" : ""
    return (offset < 0 ? "-" : "+") + two(minutes / 60) + (colons > 0 ? ":" : "") + two(minutes % 60) + tail
  }
  /** What a letter means: text, or a number with its width and what it is padded with. */
  const field = (letter: string): string | readonly [number, number, string] | undefined => {
    switch (letter) {
      case "a":
        return (days[weekday] ?? "").slice(0, 3)
      case "A":
        return days[weekday] ?? ""
      case "b":
      case "h":
        return (months[at.getUTCMonth()] ?? "").slice(0, 3)
      case "B":
        return months[at.getUTCMonth()] ?? ""
      case "c":
        return formatTime("%a %b %e %H:%M:%S %Y", time, zone)
      case "C":
        return [Math.floor(year / 100), 2, "0"]
      case "d":
        return [at.getUTCDate(), 2, "0"]
      case "D":
      case "x":
        return formatTime("%m/%d/%y", time, zone)
      case "e":
        return [at.getUTCDate(), 2, " "]
      case "F":
        return formatTime("%Y-%m-%d", time, zone)
      case "g":
        return [isoWeek(at)[0] % 100, 2, "0"]
      case "G":
        return [isoWeek(at)[0], 4, "0"]
      case "H":
        return [hour, 2, "0"]
      case "I":
        return [hour % 12 || 12, 2, "0"]
      case "j":
        return [dayOfYear + 1, 3, "0"]
      case "k":
        return [hour, 2, " "]
      case "l":
        return [hour % 12 || 12, 2, " "]
      case "m":
        return [at.getUTCMonth() + 1, 2, "0"]
      case "M":
        return [at.getUTCMinutes(), 2, "0"]
      case "n":
        return "\n"
      case "p":
        return hour < 12 ? "AM" : "PM"
      case "P":
        return hour < 12 ? "am" : "pm"
      case "q":
        return [Math.floor(at.getUTCMonth() / 3) + 1, 1, "0"]
      case "r":
        return formatTime("%I:%M:%S %p", time, zone)
      case "R":
        return formatTime("%H:%M", time, zone)
      case "s":
        return `${seconds}`
      case "S":
        return [at.getUTCSeconds(), 2, "0"]
      case "t":
        return "\t"
      case "T":
      case "X":
        return formatTime("%H:%M:%S", time, zone)
      case "u":
        return [weekday || 7, 1, "0"]
      case "U":
        return [Math.floor((dayOfYear + 7 - weekday) / 7), 2, "0"]
      case "V":
        return [isoWeek(at)[1], 2, "0"]
      case "w":
        return [weekday, 1, "0"]
      case "W":
        return [Math.floor((dayOfYear + 7 - (weekday + 6) % 7) / 7), 2, "0"]
      case "y":
        return [year % 100, 2, "0"]
      case "Y":
        return [year, 4, "0"]
      case "Z":
        return zoneName
      case "%":
        return "%"
      default:
        return undefined
    }
  }
  return format.replace(
    /%([-_0^#]*)([0-9]*)(:*)([a-zA-Z%])/g,
    (all, flags: string, width: string, colons: string, letter: string) => {
      if (letter === "z") return zoneText(colons.length)
      if (letter === "N") {
        const digits = `${nanos}`.padStart(9, "0")
        return flags.includes("-")
          ? digits.replace(/0+$/, "") || "0"
          : width === ""
          ? digits
          : digits.slice(0, Number(width))
      }
      const value = colons === "" ? field(letter) : undefined
      if (value === undefined) return all
      if (typeof value === "string") {
        const text = flags.includes("^")
          ? value.toUpperCase()
          : flags.includes("#")
          ? (letter === "p" || letter === "Z" ? value.toLowerCase() : value.toUpperCase())
          : value
        return text.padStart(Math.min(1024, Number(width)), flags.includes("0") ? "0" : " ")
      }
      const size = flags.includes("-") ? 1 : Math.max(value[1], Math.min(1024, Number(width)))
      return `${value[0]}`.padStart(size, flags.includes("_") ? " " : flags.includes("0") ? "0" : value[2])
    },
  )
}

const units: Readonly<Record<string, number>> = {
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  fortnight: 1_209_600,
}

/** Reads `@N`, ISO 8601, `now`, `yesterday`, `2 days ago`, `Jan 2 2024 10:00`: nanoseconds since 1970. */
export const parseTime = (given: string, now: bigint, zone = "UTC"): bigint | undefined => {
  if (given.length > 256) return undefined
  let rest = given.trim().toLowerCase()
  const stamp = /^@(-?[0-9]+)(?:[.,]([0-9]+))?$/.exec(rest)
  if (stamp !== null) {
    const part = BigInt((stamp[2] ?? "").slice(0, 9).padEnd(9, "0"))
    const seconds = BigInt(stamp[1] ?? "0")
    if (seconds > lastSecond || seconds < -lastSecond) return undefined
    return seconds * billion + ((stamp[1] ?? "").startsWith("-") ? -part : part)
  }
  const [ahead] = zoneOffset(zone, Number(now / 1_000_000n))
  const local = new Date(Number(now / 1_000_000n) + ahead)
  let [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  let clock: readonly [number, number, number, bigint] | undefined
  let offset: number | undefined
  let shiftDays = 0
  let shiftMonths = 0
  let shiftSeconds = 0
  let dated = false
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest)
    if (match !== null) rest = rest.slice(0, match.index) + " " + rest.slice(match.index + match[0].length)
    return match
  }
  const iso = take(/(?:^|\s)([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?=$|\s|t)/) ??
    take(/(?:^|\s)([0-9]{4})([0-9]{2})([0-9]{2})(?=$|\s|t)/)
  if (iso !== null) {
    ;[year, month, day] = [Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])]
    dated = true
    if (month > 11 || day > 31 || month < 0 || day < 1) return undefined
  }
  const american = take(/(?:^|\s)([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})(?=$|\s)/)
  if (american !== null) {
    ;[year, month, day] = [Number(american[3]), Number(american[1]) - 1, Number(american[2])]
    dated = true
  }
  const time = take(/(?:^|\s|t)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?\s*([ap]m)?/)
  if (time !== null) {
    let hour = Number(time[1])
    if (time[5] !== undefined) hour = hour % 12 + (time[5] === "pm" ? 12 : 0)
    clock = [hour, Number(time[2]), Number(time[3] ?? "0"), BigInt((time[4] ?? "").slice(0, 9).padEnd(9, "0"))]
    if (hour > 24 || clock[1] > 59 || clock[2] > 60) return undefined
    const numeric = take(/^\s*([-+])([0-9]{2}):?([0-9]{2})?(?=$|\s)/) ?? take(/\s([-+])([0-9]{2}):?([0-9]{2})(?=$|\s)/)
    if (numeric !== null) {
      offset = (Number(numeric[2]) * 60 + Number(numeric[3] ?? "0")) * 60_000 * (numeric[1] === "-" ? -1 : 1)
    }
  }
  if (take(/(?:^|\s)(?:z|utc|gmt)(?=$|\s)/) !== null) offset = 0
  const names = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
  const named = take(new RegExp(`(?:^|\\s)([0-9]{1,2})[ -]+(${names})[a-z]*\\.?(?:[ ,-]+([0-9]{4}))?(?=$|[\\s,])`)) ??
    take(new RegExp(`(?:^|\\s)(${names})[a-z]*\\.?\\s+([0-9]{1,2})(?:(?:\\s*,\\s*|\\s+)([0-9]{4}))?(?=$|\\s)`))
  if (named !== null) {
    const [one = "", two = ""] = [named[1], named[2]]
    const [name, number] = /[a-z]/.test(one) ? [one, two] : [two, one]
    month = names.split("|").indexOf(name)
    day = Number(number)
    const late = named[3] ?? take(/(?:^|\s)([0-9]{4})(?=$|\s)/)?.[1]
    if (late !== undefined) year = Number(late)
    dated = true
  }
  for (;;) {
    const relative = take(
      /(?:^|\s)([-+]?\s*[0-9]+|next|last|a)?\s*(sec|second|min|minute|hour|day|week|fortnight|month|year)s?(\s+ago)?(?=$|\s)/,
    )
    if (relative === null) break
    const text = (relative[1] ?? "1").replace(/\s/g, "")
    const count = (text === "next" || text === "a" ? 1 : text === "last" ? -1 : Number(text)) *
      (relative[3] === undefined ? 1 : -1)
    const unit = relative[2] ?? "day"
    if (unit === "month" || unit === "year") shiftMonths += count * (unit === "year" ? 12 : 1)
    else if (unit === "day" || unit === "week" || unit === "fortnight") shiftDays += count * (units[unit] ?? 0) / 86_400
    else shiftSeconds += count * (units[unit] ?? 1)
  }
  const word = take(/(?:^|\s)(now|today|yesterday|tomorrow|midnight|noon)(?=$|\s)/)?.[1]
  if (word === "yesterday") shiftDays -= 1
  if (word === "tomorrow") shiftDays += 1
  if (word === "midnight" || word === "noon") clock ??= [word === "noon" ? 12 : 0, 0, 0, 0n]
  take(/(?:^|\s)(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?(?=$|\s)/)
  if (rest.replace(/[\s,]/g, "") !== "") return undefined
  const keep = clock === undefined && !dated && given.trim() !== ""
  const [h, m, s, fraction] = clock ??
    (keep
      ? [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds(), now % billion] as const
      : [0, 0, 0, 0n] as const)
  const wall = Date.UTC(year, month + shiftMonths, day + shiftDays, h, m, s)
  const ms = offset !== undefined ? wall - offset : wall - zoneOffset(zone, wall - zoneOffset(zone, wall)[0])[0]
  const seconds = Math.floor(ms / 1000 + shiftSeconds)
  return Number.isSafeInteger(seconds) && Math.abs(seconds) <= lastSecond
    ? BigInt(seconds) * billion + fraction
    : undefined
}
