/**
 * Times as text, by a format.
 *
 * Source: strftime(3), date(1).
 *
 * @module
 */

/** Names of the days, Sunday first. */
const days: ReadonlyArray<string> = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
]
/** Names of the months. */
const months: ReadonlyArray<string> = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
]

const billion = 1_000_000_000n
const dayMs = 86_400_000

/** Milliseconds that a zone is ahead of UTC at a time. Zones are names that `Intl` knows, or as POSIX has them: `EST5`. */
export const zoneOffset = (zone: string, ms: number): readonly [offset: number, name: string] => {
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
export const strftime = (format: string, time: bigint, zone = "UTC"): string => {
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
        return strftime("%a %b %e %H:%M:%S %Y", time, zone)
      case "C":
        return [Math.floor(year / 100), 2, "0"]
      case "d":
        return [at.getUTCDate(), 2, "0"]
      case "D":
      case "x":
        return strftime("%m/%d/%y", time, zone)
      case "e":
        return [at.getUTCDate(), 2, " "]
      case "F":
        return strftime("%Y-%m-%d", time, zone)
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
        return strftime("%I:%M:%S %p", time, zone)
      case "R":
        return strftime("%H:%M", time, zone)
      case "s":
        return `${seconds}`
      case "S":
        return [at.getUTCSeconds(), 2, "0"]
      case "t":
        return "\t"
      case "T":
      case "X":
        return strftime("%H:%M:%S", time, zone)
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
