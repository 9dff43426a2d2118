/**
 * Dates as strftime(3) writes them, in UTC: the kernel knows no time zone.
 *
 * @module
 */

/** Names of the days, Sunday first. */
export const days: ReadonlyArray<string> = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
]
/** Names of the months. */
export const months: ReadonlyArray<string> = [
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

const two = (value: number, fill = "0"): string => String(value).padStart(2, fill)

const dayOfYear = (date: Date): number =>
  Math.floor(
    (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) /
      86_400_000,
  )

/** The ISO week and the year it belongs to: the week of a Thursday belongs to the Thursday's year. */
const isoWeek = (date: Date): readonly [year: number, week: number] => {
  const thursday = new Date(date.getTime() + (3 - (date.getUTCDay() + 6) % 7) * 86_400_000)
  return [thursday.getUTCFullYear(), Math.floor(dayOfYear(thursday) / 7) + 1]
}

/** Formats seconds since 1970, UTC. `nanoseconds` is for `%N`. */
export const formatTime = (format: string, seconds: number, nanoseconds = 0): string => {
  const date = new Date(seconds * 1000)
  const year = date.getUTCFullYear()
  const hour = date.getUTCHours()
  const write: Readonly<Record<string, () => string>> = {
    a: () => (days[date.getUTCDay()] ?? "").slice(0, 3),
    A: () => days[date.getUTCDay()] ?? "",
    b: () => (months[date.getUTCMonth()] ?? "").slice(0, 3),
    h: () => (months[date.getUTCMonth()] ?? "").slice(0, 3),
    B: () => months[date.getUTCMonth()] ?? "",
    c: () => formatTime("%a %b %e %H:%M:%S %Y", seconds),
    C: () => two(Math.floor(year / 100)),
    d: () => two(date.getUTCDate()),
    D: () => formatTime("%m/%d/%y", seconds),
    e: () => two(date.getUTCDate(), " "),
    F: () => formatTime("%Y-%m-%d", seconds),
    g: () => two(isoWeek(date)[0] % 100),
    G: () => String(isoWeek(date)[0]),
    H: () => two(hour),
    I: () => two(hour % 12 === 0 ? 12 : hour % 12),
    j: () => String(dayOfYear(date) + 1).padStart(3, "0"),
    k: () => two(hour, " "),
    l: () => two(hour % 12 === 0 ? 12 : hour % 12, " "),
    m: () => two(date.getUTCMonth() + 1),
    M: () => two(date.getUTCMinutes()),
    n: () => "\n",
    N: () => String(nanoseconds).padStart(9, "0"),
    p: () => hour < 12 ? "AM" : "PM",
    P: () => hour < 12 ? "am" : "pm",
    r: () => formatTime("%I:%M:%S %p", seconds),
    R: () => formatTime("%H:%M", seconds),
    s: () => String(seconds),
    S: () => two(date.getUTCSeconds()),
    t: () => "\t",
    T: () => formatTime("%H:%M:%S", seconds),
    u: () => String(date.getUTCDay() === 0 ? 7 : date.getUTCDay()),
    U: () => two(Math.floor((dayOfYear(date) + 7 - date.getUTCDay()) / 7)),
    V: () => two(isoWeek(date)[1]),
    w: () => String(date.getUTCDay()),
    W: () => two(Math.floor((dayOfYear(date) + 7 - (date.getUTCDay() + 6) % 7) / 7)),
    x: () => formatTime("%m/%d/%y", seconds),
    X: () => formatTime("%H:%M:%S", seconds),
    y: () => two(year % 100),
    Y: () => String(year),
    z: () => "+0000",
    Z: () => "UTC",
    "%": () => "%",
  }
  // `-` leaves out what pads, `_` and `0` choose it: GNU's flags.
  return format.replace(/%([-_0^]?)([a-zA-Z%])/g, (whole, flag: string, letter: string) => {
    const made = write[letter]?.()
    if (made === undefined) return whole
    if (flag === "-") return made.replace(/^[0 ]+(?=\d)/, "")
    if (flag === "_") return made.replace(/^0+(?=\d)/, (zeros) => " ".repeat(zeros.length))
    if (flag === "^") return made.toUpperCase()
    return flag === "0" ? made.replace(/^ +/, (spaces) => "0".repeat(spaces.length)) : made
  })
}
