/** Parses and formats dates of commits. Source: git-commit(1) "DATE FORMATS", git-log(1) `--date`. */
import type { System } from "../../../System.ts"
import { strftime } from "../../../strftime.ts"
import { zoneOffset } from "../../../zoneOffset.ts"
import { parseTime } from "../../../utilities/shared/parseTime.ts"
import { unsupported } from "../GitError.ts"
import type { Signature } from "../repository/objects.ts"

type GitDate = Pick<Signature, "seconds" | "zone">

const formatZone = (minutes: number): string => {
  const size = Math.abs(minutes)
  const pad = (value: number): string => `${value}`.padStart(2, "0")
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}${pad(size % 60)}`
}

const zoneMinutes = (zone: string): number => {
  const size = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5))
  return zone.startsWith("-") ? -size : size
}

export const parseGitDate = (text: string, system: System): GitDate | undefined => {
  const zoneName = system.env.get("TZ") ?? "UTC"
  const localZone = (seconds: number): string =>
    formatZone(Math.round(zoneOffset(zoneName, seconds * 1000)[0] / 60_000))
  const [, stamp, stampZone] = /^@?(\d{5,})(?: ([+-]\d{4}))?$/.exec(text.trim()) ?? []
  if (stamp !== undefined) {
    return { seconds: Number(stamp), zone: stampZone ?? (text.startsWith("@") ? "+0000" : localZone(Number(stamp))) }
  }
  const nanos = parseTime(
    text.replaceAll(".", text.includes(" ") && /[a-z]\./.test(text) ? " " : "."),
    system.now(),
    zoneName,
  )
  if (nanos === undefined) return undefined
  const seconds = Number(nanos / 1_000_000_000n)
  const [, own] = /\d\s*([+-]\d{2}:?\d{2})$/.exec(text.trim()) ?? []
  const zone = own !== undefined
    ? own.replace(":", "")
    : /\d\s*(?:Z|UTC|GMT)$/i.test(text.trim())
    ? "+0000"
    : localZone(seconds)
  return { seconds, zone }
}

/** `3 days ago`. Source: git's `show_date_relative`: each unit is used until its number is high enough for the next. */
const relativeDate = (seconds: number, now: number): string => {
  const count = (value: number, unit: string): string => `${value} ${unit}${value === 1 ? "" : "s"}`
  let diff = now - seconds
  if (diff < 0) return "in the future"
  if (diff < 90) return `${count(diff, "second")} ago`
  diff = Math.floor((diff + 30) / 60)
  if (diff < 90) return `${count(diff, "minute")} ago`
  diff = Math.floor((diff + 30) / 60)
  if (diff < 36) return `${count(diff, "hour")} ago`
  diff = Math.floor((diff + 12) / 24)
  if (diff < 14) return `${count(diff, "day")} ago`
  if (diff < 70) return `${count(Math.floor((diff + 3) / 7), "week")} ago`
  if (diff < 365) return `${count(Math.floor((diff + 15) / 30), "month")} ago`
  if (diff < 1825) {
    const total = Math.floor((diff * 12 * 2 + 365) / (365 * 2))
    const [years, months] = [Math.floor(total / 12), total % 12]
    return months === 0 ? `${count(years, "year")} ago` : `${count(years, "year")}, ${count(months, "month")} ago`
  }
  return `${count(Math.floor((diff + 183) / 365), "year")} ago`
}

/** Formats in the zone of the signature, or with `-local` in that of the process. */
export const formatDate = ({ seconds, zone }: Signature, style: string, system: System): string => {
  const isLocal = style.endsWith("-local") || style === "local"
  const name = isLocal ? style.replace(/-?local$/, "") || "default" : style
  const minutes = isLocal
    ? Math.round(zoneOffset(system.env.get("TZ") ?? "UTC", seconds * 1000)[0] / 60_000)
    : zoneMinutes(zone)
  const shown = formatZone(minutes)
  const format = (text: string): string => strftime(text, BigInt(seconds + minutes * 60) * 1_000_000_000n, "UTC")
  switch (name) {
    case "default":
      return format("%a %b %-d %H:%M:%S %Y") + (isLocal ? "" : ` ${shown}`)
    case "iso":
    case "iso8601":
      return `${format("%Y-%m-%d %H:%M:%S")} ${shown}`
    case "iso-strict":
    case "iso8601-strict":
      return format("%Y-%m-%dT%H:%M:%S") + `${shown.slice(0, 3)}:${shown.slice(3)}`
    case "short":
      return format("%Y-%m-%d")
    case "rfc":
    case "rfc2822":
      return `${format("%a, %-d %b %Y %H:%M:%S")} ${shown}`
    case "unix":
      return `${seconds}`
    case "raw":
      return `${seconds} ${shown}`
    case "relative":
      return relativeDate(seconds, Number(system.now() / 1_000_000_000n))
  }
  if (name.startsWith("format:")) return format(name.slice(7).replaceAll("%z", shown))
  return unsupported(`the date format '${name}'`, "use iso, iso-strict, short, rfc, unix, raw, relative or format:…")
}
