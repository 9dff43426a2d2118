import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { attemptOptions } from "../../src/base/attemptOptions.ts"
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
