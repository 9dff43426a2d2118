/** Reads the time spans that callers give as options, and refuses anything else. */
import * as Duration from "effect/Duration"
import { durationForms, type DurationText, parseShortDuration } from "./DurationText.ts"
import { OptionError, showValue } from "./OptionError.ts"

/** A time span: milliseconds, text such as `"5s"`, `"1m30s"` or `"5 seconds"`, or a `Duration` of Effect. */
export type DurationInput = Duration.Input | DurationText

// In plain JavaScript the value can be anything: Effect's own parser decides.
const isLong = (input: DurationInput): input is Duration.Input =>
  typeof input !== "string" || parseShortDuration(input) === undefined

const units: ReadonlyArray<string> = [
  ...["weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"],
]

// Effect reads an object without any unit as zero. A `Temporal.Duration` has its units on the prototype.
const hasUnits = (input: object): boolean => {
  const counts = units.map((name): unknown => Reflect.get(input, name)).filter((count) => count !== undefined)
  return Object.keys(input).every((name) => units.includes(name)) && counts.length > 0 &&
    counts.every((count) => typeof count === "number" && !Number.isNaN(count))
}

/** The duration that an option holds, which may be negative; `undefined` for a value that is not a duration. */
export const readDuration = (input: DurationInput): Duration.Duration | undefined => {
  if (typeof input === "number" && Number.isNaN(input)) return undefined
  if (!isLong(input)) return Duration.millis(parseShortDuration(input) ?? 0)
  try {
    const isKnown = typeof input !== "object" || Duration.isDuration(input) || Array.isArray(input) || hasUnits(input)
    if (!isKnown) return undefined
    return Duration.fromInputUnsafe(input)
  } catch {
    return undefined
  }
}

/**
 * The duration that an option holds. `field` is the option's name.
 *
 * @throws {OptionError} when it is no time span, or a negative one: the message names the field and the accepted forms.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 *
 * console.log(ShellExec.make("npm", ["test"], { timeout: "1m30s" }).timeout !== undefined) // true
 * ```
 */
export const durationOf = (field: string, input: DurationInput): Duration.Duration => {
  const duration = readDuration(input)
  if (duration !== undefined && Duration.toMillis(duration) >= 0) return duration
  throw new OptionError(field, `${field}: ${showValue(input)} is not a duration; write ${durationForms}`)
}

/** {@link durationOf} in milliseconds; `Infinity` for `"Infinity"`. */
export const millisOf = (field: string, input: DurationInput): number => Duration.toMillis(durationOf(field, input))

/** {@link millisOf} for a time that must be above zero. */
export const positiveMillisOf = (field: string, input: DurationInput): number => {
  const millis = millisOf(field, input)
  if (millis > 0) return millis
  throw new OptionError(field, `${field}: write a duration above zero: ${durationForms}`)
}
