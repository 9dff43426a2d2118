/** Turns the `OptionError` that a function throws into a typed error. */
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
