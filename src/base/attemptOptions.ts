/**
 * Turns the `OptionError` that a function throws into a typed error, or into a defect if the options are known to be
 * valid.
 */
import * as Effect from "effect/Effect"
import { OptionError } from "./OptionError.ts"

/** Calls a function that reads options. An `OptionError` is the Effect's failure; anything else thrown is a defect. */
export const attemptOptions = <A>(evaluate: () => A): Effect.Effect<A, OptionError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(evaluate())
    } catch (error) {
      if (error instanceof OptionError) return Effect.fail(error)
      throw error
    }
  })

const isOther = <E>(error: E): error is Exclude<E, OptionError> => !(error instanceof OptionError)

/** For options that are known to be valid, such as defaults: an `OptionError` is a defect. */
export const assumeValidOptions = <A, E, R>(
  self: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, OptionError>, R> =>
  Effect.catch(self, (error) => isOther(error) ? Effect.fail(error) : Effect.die(error))
