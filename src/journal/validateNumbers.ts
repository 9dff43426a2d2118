/** Validates the numeric options of journal operations (read, tail, append, prune). */
import * as Effect from "effect/Effect"
import { JournalError } from "./JournalError.ts"

export const invalidError = (field: string, what: string): JournalError =>
  JournalError.because({ _tag: "Invalid", field }, `journal: nothing was done: ${what}`)

/**
 * The error for the first option that is not a whole number from 0. `undefined` is valid, and so is `Infinity`, which
 * {@link clampToSafeInteger} makes a number that databases accept.
 */
export const findInvalidNumber = (
  numbers: Readonly<Record<string, number | undefined>>,
): JournalError | undefined => {
  for (const field in numbers) {
    const value = numbers[field]
    if (value === undefined || value === Infinity || (value >= 0 && Number.isInteger(value))) continue
    return invalidError(field, `"${field}" must be a whole number from 0, got ${value}`)
  }
  return undefined
}

export const clampToSafeInteger = (value: number): number => Math.min(value, Number.MAX_SAFE_INTEGER)

export const validateNumbers = <A, E, R>(
  numbers: Readonly<Record<string, number | undefined>>,
  work: () => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | JournalError, R> =>
  Effect.suspend((): Effect.Effect<A, E | JournalError, R> => {
    const error = findInvalidNumber(numbers)
    return error === undefined ? work() : Effect.fail(error)
  })
