/**
 * Parses a date and time as `date -d` and `touch -d` accept it: `@N`, ISO 8601, `2 days ago`. Source: date(1) "DATE STRING".
 */
import { zoneOffset } from "../../zoneOffset.ts"
import { findZone } from "./findZone.ts"

const billion = 1_000_000_000n
/** Dates of JavaScript end in the year 275760. */
const maxSeconds = 8_640_000_000_000

const secondUnits: Readonly<Record<string, number>> = { sec: 1, second: 1, min: 60, minute: 60, hour: 3600 }
const dayUnits: Readonly<Record<string, number>> = { day: 1, week: 7, fortnight: 14 }
const monthUnits: Readonly<Record<string, number>> = { month: 1, year: 12 }
const unit = [secondUnits, dayUnits, monthUnits].flatMap((units) => Object.keys(units)).join("|")

/** Numbers in words; `second` is missing because it is a unit. */
const ordinals: ReadonlyMap<string, number> = new Map([
  ...["last", "this", "next"].map((word, index) => [word, index - 1] as const),
  ...["a", "first"].map((word) => [word, 1] as const),
  ..."third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" ")
    .map((word, index) => [word, index + 3] as const),
])
const ordinal = [...ordinals.keys()].join("|")

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const weekday = "sun(?:day)?|mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?"
const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
const month = months.join("|")

/** Parses a time to nanoseconds since 1970; `undefined` if it is not one. */
export const parseTime = (text: string, now: bigint, environmentZone = "UTC"): bigint | undefined => {
  if (text.length > 256) return undefined
  // The text may name its own zone, as in `TZ="Europe/Paris" 10:00`.
  const [own = "", zone = environmentZone] = /^\s*TZ="([^"]*)"/.exec(text) ?? []
  const given = text.slice(own.length)
  let rest = given.replace(/\([^()]*\)/g, " ").trim().toLowerCase()
  const stamp = /^@(-?[0-9]+)(?:[.,]([0-9]+))?$/.exec(rest)
  if (stamp !== null) {
    const part = BigInt((stamp[2] ?? "").slice(0, 9).padEnd(9, "0"))
    const seconds = BigInt(stamp[1] ?? "0")
    if (seconds > maxSeconds || seconds < -maxSeconds) return undefined
    return seconds * billion + ((stamp[1] ?? "").startsWith("-") ? -part : part)
  }
  const [ahead] = zoneOffset(zone, Number(now / 1_000_000n))
  const local = new Date(Number(now / 1_000_000n) + ahead)
  let [year, monthIndex, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
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
    ;[year, monthIndex, day] = [Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])]
    dated = true
    if (monthIndex > 11 || day > 31 || monthIndex < 0 || day < 1) return undefined
  }
  const american = take(/(?:^|\s)([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})(?=$|\s)/)
  if (american !== null) {
    ;[year, monthIndex, day] = [Number(american[3]), Number(american[1]) - 1, Number(american[2])]
    dated = true
  }
  const time = (iso === null ? null : take(/(?:^|\s)([0-9]{2})([0-9]{2})(?=\s*$)/)) ??
    take(/(?:^|\s|t)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?\s*([ap]m)?/)
  if (time !== null) {
    let hour = Number(time[1])
    if (time[5] !== undefined) hour = hour % 12 + (time[5] === "pm" ? 12 : 0)
    clock = [hour, Number(time[2]), Number(time[3] ?? "0"), BigInt((time[4] ?? "").slice(0, 9).padEnd(9, "0"))]
    if (hour > 24 || clock[1] > 59 || clock[2] > 60) return undefined
    // A signed number after a time is its zone: `10:00 +1 hour` is 10:00 in the zone +1, plus an hour.
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
  const inZone = findZone(rest, zone, Number(now / 1_000_000n))
  if (inZone !== undefined) {
    offset = inZone.offset
    rest = `${rest.slice(0, inZone.index)} ${rest.slice(inZone.index + inZone.length)}`
  }
  const named = take(new RegExp(`(?:^|\\s)([0-9]{1,2})[ -]+(${month})[a-z]*\\.?(?:[ ,-]+([0-9]{4}))?(?=$|[\\s,])`)) ??
    take(new RegExp(`(?:^|\\s)(${month})[a-z]*\\.?\\s+([0-9]{1,2})(?:(?:\\s*,\\s*|\\s+)([0-9]{4}))?(?=$|\\s)`))
  if (named !== null) {
    const [one = "", two = ""] = [named[1], named[2]]
    const [name, number] = /[a-z]/.test(one) ? [one, two] : [two, one]
    monthIndex = months.indexOf(name)
    day = Number(number)
    const late = named[3] ?? take(/(?:^|\s)([0-9]{4})(?=$|\s)/)?.[1]
    if (late !== undefined) year = Number(late)
    dated = true
  }
  for (;;) {
    const relative = take(
      new RegExp(
        `(?:^|\\s)([-+]?\\s*[0-9]+|${ordinal})?\\s*(${unit})s?(\\s+ago|\\s+hence)?(?=$|\\s)`,
      ),
    )
    if (relative === null) break
    const text = (relative[1] ?? "1").replace(/\s/g, "")
    const count = (ordinals.get(text) ?? Number(text)) * (relative[3]?.trim() === "ago" ? -1 : 1)
    const name = relative[2] ?? ""
    shiftMonths += count * (monthUnits[name] ?? 0)
    shiftDays += count * (dayUnits[name] ?? 0)
    shiftSeconds += count * (secondUnits[name] ?? 0)
  }
  const word = take(/(?:^|\s)(now|today|yesterday|tomorrow|midnight|noon)(?=$|\s)/)?.[1]
  if (word === "yesterday") shiftDays -= 1
  if (word === "tomorrow") shiftDays += 1
  if (word === "midnight" || word === "noon") clock ??= [word === "noon" ? 12 : 0, 0, 0, 0n]
  const onWeekday = take(new RegExp(`(?:^|\\s)(?:(${ordinal})\\s+)?(${weekday})\\.?,?(?=$|\\s)`))
  if (onWeekday !== null && !dated) {
    const wanted = weekdays.indexOf((onWeekday[2] ?? "").slice(0, 3))
    const today = new Date(Date.UTC(year, monthIndex, day)).getUTCDay()
    const count = ordinals.get(onWeekday[1] ?? "this") ?? 0
    day += (wanted - today + 7) % 7 + 7 * (count - (count > 0 && wanted !== today ? 1 : 0))
  }
  if (rest.replace(/[\s,]/g, "") !== "") return undefined
  const keep = clock === undefined && !dated && onWeekday === null && given.trim() !== ""
  const [h, m, s, fraction] = clock ??
    (keep
      ? [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds(), now % billion] as const
      : [0, 0, 0, 0n] as const)
  const first = new Date(Date.UTC(year, monthIndex, day))
  if (dated && (first.getUTCMonth() !== monthIndex || first.getUTCDate() !== day)) return undefined
  const wall = Date.UTC(
    first.getUTCFullYear(),
    first.getUTCMonth() + shiftMonths,
    first.getUTCDate() + shiftDays,
    h,
    m,
    s,
  )
  const ms = offset !== undefined ? wall - offset : wall - zoneOffset(zone, wall - zoneOffset(zone, wall)[0])[0]
  const [lead, name] = zoneOffset(zone, ms)
  // A time that a change of the clock leaves out, and a name that is not in force at that time.
  if (offset === undefined && shiftDays === 0 && shiftMonths === 0 && ms + lead !== wall) return undefined
  if (inZone?.localName !== undefined && inZone.localName !== name.toLowerCase()) return undefined
  const seconds = Math.floor(ms / 1000 + shiftSeconds)
  return Number.isSafeInteger(seconds) && Math.abs(seconds) <= maxSeconds
    ? BigInt(seconds) * billion + fraction
    : undefined
}
