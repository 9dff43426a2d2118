/**
 * Reads the time spans in the options of a store; fails with a `JournalError` for invalid ones.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type DurationInput, readDuration } from "../../base/duration.ts"
import { durationForms } from "../../base/DurationText.ts"
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
