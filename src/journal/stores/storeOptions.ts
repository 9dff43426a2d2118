/** Checks the names and kinds of the options that open a store, and resolves them. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { maxTimerMillis } from "../../base/maxTimerMillis.ts"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { type DurationInput, millisOf, readDuration } from "../../base/duration.ts"
import { durationForms } from "../../base/DurationText.ts"
import { countRule, isCount, OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import { JournalError } from "../JournalError.ts"

/** Checks a value; `what` describes valid values, for the message, which shows an invalid one only if it is a number. */
export interface OptionCheck {
  readonly isValid: (value: unknown) => boolean
  readonly what: string
  readonly isSecret?: boolean
}

export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck }

const optional = (what: string, isValid: (value: unknown) => boolean): OptionCheck => ({
  what,
  isValid: (value) => value === undefined || isValid(value),
})

export const path: OptionCheck = {
  what: "the file of the journal, a string",
  isValid: (value) => typeof value === "string",
}

export const text: OptionCheck = optional("a string", (value) => typeof value === "string")

export const flag: OptionCheck = optional("true or false", (value) => typeof value === "boolean")

export const callback: OptionCheck = optional("a function", (value) => typeof value === "function")

export const count = (max: number): OptionCheck => {
  const bounds = { min: 1, max: Math.min(max, Number.MAX_SAFE_INTEGER) }
  return optional(countRule(bounds), (value) => isCount(value, bounds))
}

export const bound: OptionCheck = optional(
  "a number above 0 or Infinity",
  (value) => typeof value === "number" && value > 0,
)

export const choice = (...choices: ReadonlyArray<string>): OptionCheck =>
  optional(
    choices.map((choice) => `"${choice}"`).join(" or "),
    (value) => typeof value === "string" && choices.includes(value),
  )

export const durability: OptionCheck = choice("memory", "os", "disk")

// `readDuration` decides about values of any kind.
const isDuration = (value: unknown): value is DurationInput => value !== undefined

export const duration: OptionCheck = optional(`a time span: ${durationForms}`, (value) => {
  const span = isDuration(value) ? readDuration(value) : undefined
  return span !== undefined && Duration.toMillis(span) >= 0
})

const describe = (value: unknown, isSecret: boolean): string =>
  typeof value === "number" && !isSecret ? String(value) : value === null ? "null" : typeof value

export const pollMillisOf = (interval: DurationInput): number =>
  Math.min(Math.max(1, millisOf("pollInterval", interval)), maxTimerMillis)

/**
 * Checks the options of a store, then resolves them. Fails with `Invalid` for options that are no object, an unknown name
 * and a value of another kind, and for an `OptionError` of `resolve`.
 */
export const resolveStoreOptions = <Options extends object, Settings>(
  where: string,
  options: Options,
  checks: Readonly<Record<string, OptionCheck>>,
  resolve: (options: Options) => Settings,
): Effect.Effect<Settings, JournalError> =>
  Effect.mapError(
    attemptOptions(() => {
      refuseUnknownOptions(where, options, checks)
      for (const [name, { isSecret = false, isValid, what }] of Object.entries(checks)) {
        const value: unknown = Reflect.get(options, name)
        if (isValid(value)) continue
        throw new OptionError(name, `${where}: ${name} must be ${what}, got ${describe(value, isSecret)}`)
      }
      return resolve(options)
    }),
    ({ message, option }) =>
      JournalError.because({ _tag: "Invalid", field: option }, `journal: nothing was opened: ${message}`),
  )
