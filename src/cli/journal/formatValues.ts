/** Formats times, ages, durations, sizes, counts and ids as readable text. */

const units: ReadonlyArray<readonly [number, string]> = [
  [1024 ** 4, "TiB"],
  [1024 ** 3, "GiB"],
  [1024 ** 2, "MiB"],
  [1024, "KiB"],
]

/** Formats bytes: `17 B`, `1.5 KiB`, `12 MiB`. */
export const sizeText = (bytes: number): string => {
  // 1023.9 of a unit is shown as 1 of the next unit.
  const [unit, name] = units.find(([each]) => bytes >= each * 0.9995) ?? [1, "B"]
  const count = bytes / unit
  return unit === 1 ? `${bytes} B` : `${count < 9.95 ? count.toFixed(1) : Math.round(count)} ${name}`
}

const two = (number: number): string => String(number).padStart(2, "0")

/** Formats a duration: `12ms`, `1.2s`, `2m05s`, `1h02m`, `3d04h`. */
export const durationText = (millis: number): string => {
  if (millis < 999.5) return `${Math.round(millis)}ms`
  if (millis < 59_950) return `${(millis / 1_000).toFixed(1)}s`
  const seconds = Math.round(millis / 1_000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes}m${two(seconds % 60)}s`
  return hours < 24 ? `${hours}h${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d${two(hours % 24)}h`
}

/** Formats an age: `now`, `40s ago`, `3m ago`, `2h ago`, `5d ago`; after a month the date. */
export const agoText = (time: number, now: number): string => {
  const seconds = Math.floor((now - time) / 1_000)
  if (seconds < -1) return isoText(time)
  if (seconds < 1) return "now"
  if (seconds < 60) return `${seconds}s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h ago`
  return seconds < 31 * 86_400 ? `${Math.floor(seconds / 86_400)}d ago` : isoText(time).slice(0, 10)
}

/** Formats a time as `2026-11-22T01:02:03.004Z`; a time outside the calendar as its number. */
export const isoText = (time: number): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString()
}

/** Formats a time as a date, followed by its age if that is under a month. */
export const whenText = (time: number, now: number): string => {
  const ago = agoText(time, now)
  return isoText(time).startsWith(ago) ? isoText(time) : `${isoText(time)} (${ago})`
}

/** Formats a count with its noun: `1 entry`, `1,234 entries`. */
export const countText = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`

const minLength = 8

/** The length of the shortest prefix of an id that another id does not have. */
const distinguishingLength = (id: string, other: string | undefined): number => {
  if (other === undefined || other === id) return 0
  let same = 0
  while (same < id.length && id[same] === other[same]) same++
  return same + 1
}

/**
 * The length of the prefix that distinguishes an id from the ids before and after it. For ids made in order (UUIDv7)
 * it then distinguishes the id from all others.
 */
export const shortIdLength = (id: string, neighbours: ReadonlyArray<string | undefined>): number => {
  const length = neighbours.reduce((max, other) => Math.max(max, distinguishingLength(id, other)), minLength)
  // A prefix that ends with a dash looks cut off by mistake.
  return Math.min(id.length, id[length - 1] === "-" ? length + 1 : length)
}
