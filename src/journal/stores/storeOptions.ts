/**
 * Checks the options of a store and reads their time spans; fails with a `JournalError` for invalid ones.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type DurationInput, readDuration } from "../../base/duration.ts"
import { durationForms } from "../../base/DurationText.ts"
import { OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import { JournalError } from "../JournalError.ts"

/** The milliseconds of an option; `Invalid` for what is no time span. `tried` is the start of the message. */
export const readMillis = (field: string, input: DurationInput, tried: string): Effect.Effect<number, JournalError> => {
  const duration = readDuration(input)
  return duration !== undefined && Duration.toMillis(duration) >= 0
    ? Effect.succeed(Duration.toMillis(duration))
    : Effect.fail(JournalError.because(
      { _tag: "Invalid", field },
      `journal: ${tried}: ${field} is no time span; write ${durationForms}`,
    ))
}

/** Fails with `Invalid` for options that are no object, or that `known` does not name. */
export const checkNames = (
  where: string,
  options: unknown,
  known: Readonly<Record<string, true>>,
): Effect.Effect<void, JournalError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(refuseUnknownOptions(where, options, known))
    } catch (error) {
      if (!(error instanceof OptionError)) throw error
      const message = `journal: nothing was opened: ${error.message}`
      return Effect.fail(JournalError.because({ _tag: "Invalid", field: error.option }, message))
    }
  })

/** Fails with `Invalid` for a path that is no text. */
export const checkPathType = (where: string, path: unknown): Effect.Effect<void, JournalError> =>
  typeof path === "string" ? Effect.void : Effect.fail(JournalError.because(
    { _tag: "Invalid", field: "path" },
    `journal: nothing was opened: ${where}: path is the file of the journal, as text, not ${typeof path}`,
  ))
