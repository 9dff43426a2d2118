/** Parses durations written as text: `"5s"`, `"1m30s"`, `"500 millis"`. */
type ShortUnit = "ms" | "s" | "m" | "h" | "d"

/** A time span as text, short or long; short ones of several units go from the largest to the smallest. */
export type DurationText =
  | `${number}${"ms" | "s" | "m" | "h" | "d"}`
  | `${number}${"d" | "h" | "m"}${number}${"ms" | "s" | "m" | "h" | "d"}`
  | `${number}h${number}m${number}s`
  | `${number} ${"milli" | "second" | "minute" | "hour" | "day"}${"" | "s"}`

/** The accepted forms, for messages. */
export const durationForms = `milliseconds (500), "500ms", "5s", "1m30s", "2h" or "5 seconds"`

const shortUnits: ReadonlyArray<readonly [unit: ShortUnit, millis: number]> = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
]

const number = String.raw`\d+(?:\.\d+)?`
const short = new RegExp(`^${shortUnits.map(([unit]) => `(?:(${number})${unit})?`).join("")}$`)

/** Milliseconds of the short form; `undefined` for any other text. */
export const parseShortDuration = (text: string): number | undefined => {
  const [, ...counts] = (text === "" ? null : short.exec(text)) ?? []
  if (counts.length === 0) return undefined
  const millis = counts.reduce((sum, count, index) => sum + Number(count ?? 0) * (shortUnits[index]?.[1] ?? 0), 0)
  // A decimal fraction of a unit is rarely one in binary: 0.1s is 100 ms.
  return Math.round(millis * 1e6) / 1e6
}
