/**
 * What a journal is asked for, in numbers that every store understands alike.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { JournalError } from "./JournalError.ts"

/** An option that no journal takes. */
export const invalidError = (field: string, what: string): JournalError =>
  JournalError.because({ _tag: "Invalid", field }, `journal: nothing was done: ${what}`)

/**
 * Whole numbers from 0, by their names: answers with the first that is none. What is not given is none too many; a
 * number beyond 2^53 - 1, `Infinity` among them, counts as that (see {@link clampToSafeInteger}).
 */
export const findInvalidNumber = (numbers: Readonly<Record<string, number | undefined>>): JournalError | undefined => {
  for (const field in numbers) {
    const value = numbers[field]
    if (value === undefined || value === Infinity || (value >= 0 && Number.isInteger(value))) continue
    return invalidError(field, `"${field}" is ${value}, and not a whole number from 0`)
  }
  return undefined
}

/** A number that a database takes too. */
export const clampToSafeInteger = (value: number): number => Math.min(value, Number.MAX_SAFE_INTEGER)

/** Goes on if the numbers are whole numbers from 0. */
export const validateNumbers = <A, E, R>(
  numbers: Readonly<Record<string, number | undefined>>,
  work: () => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | JournalError, R> =>
  Effect.suspend((): Effect.Effect<A, E | JournalError, R> => {
    const error = findInvalidNumber(numbers)
    return error === undefined ? work() : Effect.fail(error)
  })
