/**
 * Finds the offset and the abbreviation of a time zone: one of `Intl`, or a rule of POSIX such as `CET-1CEST,M3.5.0,M10.5.0/3`.
 * Source: POSIX.1-2024 "Environment Variables" (TZ), tzset(3).
 */

const hourMillis = 3_600_000
const maxZoneLength = 64

/** A day and a time of it at which the clock changes. */
interface Transition {
  readonly day: string
  readonly millis: number
}

interface PosixZone {
  readonly name: string
  readonly offset: number
  readonly summer?: {
    readonly name: string
    readonly offset: number
    readonly start: Transition
    readonly end: Transition
  }
}

const name = "(?:<([A-Za-z0-9+-]+)>|([A-Za-z]{3,}))"
const clock = "([-+]?[0-9]{1,3}(?::[0-9]{2}){0,2})"
const rule = `(J?[0-9]{1,3}|M[0-9]{1,2}\\.[1-5]\\.[0-6])(?:/${clock})?`
const posixPattern = new RegExp(`^${name}${clock}(?:${name}${clock}?(?:,${rule},${rule})?)?$`)

/** Zones of `Intl` that look like rules of POSIX, and know the years in which others held. */
const namedRules = /^(EST5EDT|CST6CDT|MST7MDT|PST8PDT)$/

const parseClock = (text: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[-+]/, "").split(":").map(Number)
  return (hours * hourMillis + minutes * 60_000 + seconds * 1_000) * (text.startsWith("-") ? -1 : 1)
}

const parsePosix = (zone: string): PosixZone | undefined => {
  const found = posixPattern.exec(zone)
  if (found === null || namedRules.test(zone)) return undefined
  const [, quoted, plain = "", ahead = "0", quotedSummer, plainSummer, summerAhead, ...days] = found
  // West of Greenwich is positive in POSIX.
  const standard = { name: quoted ?? plain, offset: -parseClock(ahead) }
  const summerName = quotedSummer ?? plainSummer
  if (summerName === undefined) return standard
  const [start = "M3.2.0", startTime = "2", end = "M11.1.0", endTime = "2"] = days
  return {
    ...standard,
    summer: {
      name: summerName,
      offset: summerAhead === undefined ? standard.offset + hourMillis : -parseClock(summerAhead),
      start: { day: start, millis: parseClock(startTime) },
      end: { day: end, millis: parseClock(endTime) },
    },
  }
}

/** The local time of a transition in a year, as if it were UTC. */
const timeOf = ({ day, millis }: Transition, year: number): number => {
  const [, month, week, weekday] = (/^M([0-9]+)\.([0-9])\.([0-9])$/.exec(day) ?? []).map(Number)
  if (month === undefined || week === undefined || weekday === undefined) {
    const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
    const number = Number(day.replace("J", ""))
    return Date.UTC(year, 0, day.startsWith("J") ? number + (isLeap && number > 59 ? 1 : 0) : number + 1) + millis
  }
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay()
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const date = 1 + (weekday - first + 7) % 7 + (week - 1) * 7
  return Date.UTC(year, month - 1, date > days ? date - 7 : date) + millis
}

const posixOffset = ({ name, offset, summer }: PosixZone, millis: number): readonly [number, string] => {
  if (summer === undefined) return [offset, name]
  const year = new Date(millis + offset).getUTCFullYear()
  const [start, end] = [timeOf(summer.start, year) - offset, timeOf(summer.end, year) - summer.offset]
  const isSummer = start < end ? start <= millis && millis < end : start <= millis || millis < end
  return isSummer ? [summer.offset, summer.name] : [offset, name]
}

const pad = (value: number): string => `${Math.floor(value)}`.padStart(2, "0")

/** Names in English whose initials the time zone database has for abbreviations, and those with others. */
const initialed =
  /^(Atlantic|Australian (Central|Eastern|Western)|British|Central Africa|China|Cuba|East Africa|India|Irish|Israel|Japan|Korean|New Zealand|Newfoundland|Philippine|Samoa|South Africa) /
const abbreviations: ReadonlyMap<string, string> = new Map([
  ["Central European Standard Time", "CET"],
  ["Central European Summer Time", "CEST"],
  ["Eastern European Standard Time", "EET"],
  ["Eastern European Summer Time", "EEST"],
  ["Western European Standard Time", "WET"],
  ["Western European Summer Time", "WEST"],
  ["Hong Kong Standard Time", "HKT"],
  ["Moscow Standard Time", "MSK"],
  ["Pakistan Standard Time", "PKT"],
  ["South Africa Standard Time", "SAST"],
  ["West Africa Standard Time", "WAT"],
  ["West Africa Time", "WAT"],
  ["Western Indonesia Time", "WIB"],
])

interface IntlZone {
  readonly zone: string
  readonly short: Intl.DateTimeFormat
  readonly long: Intl.DateTimeFormat
}

/** The zone that was asked about last: a listing asks about one for each line. */
let cached: IntlZone | undefined

const intlZone = (zone: string): IntlZone => {
  if (cached?.zone === zone) return cached
  const make = (timeZoneName: "long" | "short"): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat("en-US", {
      ...{ day: "numeric", hour: "numeric", hourCycle: "h23", minute: "numeric", month: "numeric", second: "numeric" },
      ...{ timeZone: zone, timeZoneName, year: "numeric" },
    })
  return cached = { zone, short: make("short"), long: make("long") }
}

/** The abbreviation as the time zone database has it: letters, or the offset. */
const abbreviationOf = ({ long }: IntlZone, short: string, millis: number, offset: number): string => {
  if (/^[A-Z]{3,5}$/.test(short)) return short
  const title = long.formatToParts(millis).find(({ type }) => type === "timeZoneName")?.value ?? ""
  const known = abbreviations.get(title)
  if (known !== undefined) return known
  if (initialed.test(title)) return title.replace(/[a-z ]/g, "")
  const minutes = Math.abs(offset) / 60_000
  return `${offset < 0 ? "-" : "+"}${pad(minutes / 60)}${minutes % 60 === 0 ? "" : pad(minutes % 60)}`
}

/** The offset of a zone from UTC in milliseconds, and its abbreviation; UTC and its first letters if it is unknown. */
export const zoneOffset = (zone: string, millis: number): readonly [offset: number, name: string] => {
  const text = zone.replace(/^:/, "")
  if (text === "" || text === "UTC" || text === "UTC0" || text === "GMT") return [0, text === "GMT" ? "GMT" : "UTC"]
  if (text.length > maxZoneLength) return [0, text.slice(0, maxZoneLength)]
  const posix = parsePosix(text)
  if (posix !== undefined) return posixOffset(posix, millis)
  try {
    const formats = intlZone(text)
    const parts = new Map(formats.short.formatToParts(millis).map(({ type, value }) => [type, value]))
    const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name) ?? "0")
    const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
    const offset = local - Math.floor(millis / 1000) * 1000
    return [offset, abbreviationOf(formats, parts.get("timeZoneName") ?? "", millis, offset)]
  } catch {
    return [0, /^[A-Za-z]{3,}/.exec(text)?.[0] ?? ""]
  }
}
