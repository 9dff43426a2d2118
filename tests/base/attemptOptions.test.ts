import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { assumeValidOptions, attemptOptions } from "../../src/base/attemptOptions.ts"
import { durationOf } from "../../src/base/duration.ts"
import { OptionError } from "../../src/base/OptionError.ts"

it.effect("fails with the OptionError that a function throws", () =>
  Effect.gen(function* () {
    expect(yield* attemptOptions(() => 1)).toBe(1)
    const error = yield* Effect.flip(attemptOptions(() => durationOf("grace", -1)))
    expect(error).toBeInstanceOf(OptionError)
    expect(error.option).toBe("grace")
  }))

it.effect("leaves any other error a defect", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(attemptOptions(() => {
      throw new TypeError("a bug")
    }))
    expect(Exit.isFailure(exit) && exit.cause.reasons[0]?._tag).toBe("Die")
  }))

it.effect("turns the OptionError of options that are known to be valid into a defect, and leaves other errors", () =>
  Effect.gen(function* () {
    const wrong: Effect.Effect<never> = assumeValidOptions(Effect.fail(new OptionError("grace", "grace: wrong")))
    const exit = yield* Effect.exit(wrong)
    expect(Exit.isFailure(exit) && exit.cause.reasons[0]?._tag).toBe("Die")
    const other: Effect.Effect<never, "other"> = assumeValidOptions(Effect.fail("other" as const))
    expect(yield* Effect.flip(other)).toBe("other")
  }))
