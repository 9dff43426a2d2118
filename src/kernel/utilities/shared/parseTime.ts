/**
 * Times from text.
 *
 * Source: date(1) "DATE STRING".
 *
 * @module
 */
import { zoneOffset } from "../../strftime.ts"

export { strftime as formatTime } from "../../strftime.ts"

const billion = 1_000_000_000n
/** Dates of JavaScript end in the year 275760. */
const lastSecond = 8_640_000_000_000

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

/** Numbers in words; there is no `second`, which is a unit. */
const ordinals: Readonly<Record<string, number>> = {
  last: -1,
  this: 0,
  next: 1,
  a: 1,
  first: 1,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
}
const ordinal = Object.keys(ordinals).join("|")

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const weekday = "sun(?:day)?|mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?"

/** Hours ahead of UTC. */
const zones: Readonly<Record<string, number>> = {
  z: 0,
  utc: 0,
  gmt: 0,
  wet: 0,
  bst: 1,
  cet: 1,
  cest: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  ist: 5.5,
  sgt: 8,
  jst: 9,
  kst: 9,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
}

/** Reads `@N`, ISO 8601, `now`, `yesterday`, `2 days ago`, `Jan 2 2024 10:00`: nanoseconds since 1970. */
export const parseTime = (text: string, now: bigint, environmentZone = "UTC"): bigint | undefined => {
  if (text.length > 256) return undefined
  // A zone of its own, as in `TZ="Europe/Paris" 10:00`.
  const [own = "", zone = environmentZone] = /^\s*TZ="([^"]*)"/.exec(text) ?? []
  const given = text.slice(own.length)
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
  const takeAt = (index: number, pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest.slice(index))
    if (match !== null) rest = rest.slice(0, index) + " " + rest.slice(index + match[0].length)
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
  const time = (iso === null ? null : take(/(?:^|\s)([0-9]{2})([0-9]{2})(?=\s*$)/)) ??
    take(/(?:^|\s|t)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?\s*([ap]m)?/)
  if (time !== null) {
    let hour = Number(time[1])
    if (time[5] !== undefined) hour = hour % 12 + (time[5] === "pm" ? 12 : 0)
    clock = [hour, Number(time[2]), Number(time[3] ?? "0"), BigInt((time[4] ?? "").slice(0, 9).padEnd(9, "0"))]
    if (hour > 24 || clock[1] > 59 || clock[2] > 60) return undefined
    // A signed number after a time is its zone, whatever follows: `10:00 +1 hour` is 10:00 an hour east, and an hour on.
    const numeric = time.index > rest.length
      ? null
      : takeAt(time.index, /^\s*([-+])([0-9]{1,2})(?::?([0-9]{2}))?(?=$|\s)/)
    if (numeric !== null) {
      if (Number(numeric[2]) > 24) return undefined
      offset = (Number(numeric[2]) * 60 + Number(numeric[3] ?? "0")) * 60_000 * (numeric[1] === "-" ? -1 : 1)
    }
  }
  const hour = time === null ? take(/(?:^|\s)([0-9]{1,2})\s*([ap])\.?m\.?(?=$|\s)/) : null
  if (hour !== null) {
    if (Number(hour[1]) > 12 || Number(hour[1]) < 1) return undefined
    clock = [Number(hour[1]) % 12 + (hour[2] === "p" ? 12 : 0), 0, 0, 0n]
  }
  const inZone = take(new RegExp(`(?:^|\\s)(${Object.keys(zones).join("|")})(?=$|\\s)`))
  if (inZone !== null) offset = (zones[inZone[1] ?? ""] ?? 0) * 3_600_000
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
      new RegExp(
        `(?:^|\\s)([-+]?\\s*[0-9]+|${ordinal})?\\s*` +
          "(sec|second|min|minute|hour|day|week|fortnight|month|year)s?(\\s+ago|\\s+hence)?(?=$|\\s)",
      ),
    )
    if (relative === null) break
    const text = (relative[1] ?? "1").replace(/\s/g, "")
    const count = (ordinals[text] ?? Number(text)) * (relative[3]?.trim() === "ago" ? -1 : 1)
    const unit = relative[2] ?? "day"
    if (unit === "month" || unit === "year") shiftMonths += count * (unit === "year" ? 12 : 1)
    else if (unit === "day" || unit === "week" || unit === "fortnight") shiftDays += count * (units[unit] ?? 0) / 86_400
    else shiftSeconds += count * (units[unit] ?? 1)
  }
  const word = take(/(?:^|\s)(now|today|yesterday|tomorrow|midnight|noon)(?=$|\s)/)?.[1]
  if (word === "yesterday") shiftDays -= 1
  if (word === "tomorrow") shiftDays += 1
  if (word === "midnight" || word === "noon") clock ??= [word === "noon" ? 12 : 0, 0, 0, 0n]
  const onWeekday = take(new RegExp(`(?:^|\\s)(?:(${ordinal})\\s+)?(${weekday})\\.?,?(?=$|\\s)`))
  if (onWeekday !== null && !dated) {
    const wanted = weekdays.indexOf((onWeekday[2] ?? "").slice(0, 3))
    const today = new Date(Date.UTC(year, month, day)).getUTCDay()
    const count = ordinals[onWeekday[1] ?? "this"] ?? 0
    day += (wanted - today + 7) % 7 + 7 * (count - (count > 0 && wanted !== today ? 1 : 0))
  }
  if (rest.replace(/[\s,]/g, "") !== "") return undefined
  const keep = clock === undefined && !dated && onWeekday === null && given.trim() !== ""
  const [h, m, s, fraction] = clock ??
    (keep
      ? [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds(), now % billion] as const
      : [0, 0, 0, 0n] as const)
  const first = new Date(Date.UTC(year, month, day))
  if (dated && (first.getUTCMonth() !== month || first.getUTCDate() !== day)) return undefined
  const wall = Date.UTC(
    first.getUTCFullYear(),
    first.getUTCMonth() + shiftMonths,
    first.getUTCDate() + shiftDays,
    h,
    m,
    s,
  )
  const ms = offset !== undefined ? wall - offset : wall - zoneOffset(zone, wall - zoneOffset(zone, wall)[0])[0]
  const seconds = Math.floor(ms / 1000 + shiftSeconds)
  return Number.isSafeInteger(seconds) && Math.abs(seconds) <= lastSecond
    ? BigInt(seconds) * billion + fraction
    : undefined
}
