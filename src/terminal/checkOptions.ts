/** Checks the sizes and limits of a session before it is opened or resized, and the arguments of a wait. */
import * as Effect from "effect/Effect"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type DurationInput, millisOf } from "../base/duration.ts"
import { countRule, finiteFrom, isCount, OptionError, refuseUnknownOptions, showValue } from "../base/OptionError.ts"
import type { TerminalSize } from "../command/Terminal.ts"
import type { WaitCondition } from "./SessionOptions.ts"
import { type TerminalError, terminalError } from "./TerminalError.ts"

/** Maximum number of characters that the emulator holds, including the lines above the screen; each takes 12 bytes. */
const maxCells = 16_777_216

const extent = { min: 1, max: 65_535 }

const invalid = (argument: string, problem: string): TerminalError =>
  terminalError({ _tag: "InvalidArgument", argument }, problem)

/** Checks a size; `undefined` if it is valid. */
export const checkSize = ({ cols, rows }: TerminalSize, scrollback: number): TerminalError | undefined => {
  for (const [name, value] of Object.entries({ cols, rows })) {
    if (!isCount(value, extent)) return invalid(name, `${name} must be ${countRule(extent)}, got ${showValue(value)}`)
  }
  return cols * (rows + scrollback) <= maxCells ? undefined : invalid(
    "cols",
    `${cols}x${rows} with ${scrollback} lines above it is more than ${maxCells} characters: choose a smaller size or scrollback`,
  )
}

/** Checks a value that is true or false; `undefined` if it is valid. */
export const checkBoolean = (argument: "admission" | "answersQueries", value: unknown): TerminalError | undefined =>
  value === undefined || typeof value === "boolean"
    ? undefined
    : invalid(argument, `${argument} must be true or false, got ${showValue(value)}`)

/** Checks the length of kept text; `undefined` if it is valid. */
export const checkCount = (argument: "scrollback" | "maxKeptLength", value: number): TerminalError | undefined =>
  isCount(value, finiteFrom(0))
    ? undefined
    : invalid(argument, `${argument} must be ${countRule(finiteFrom(0))}, got ${showValue(value)}`)

const isPattern = (u: unknown): boolean => typeof u === "string" || u instanceof RegExp

const checkCondition = (condition: WaitCondition): void => {
  if (isPattern(condition)) return
  if (typeof condition === "object" && condition !== null) {
    if ("silence" in condition) return void millisOf("silence", condition.silence)
    if ("screen" in condition && isPattern(condition.screen)) return
  }
  throw new OptionError("condition", "waitFor: write a string, a regular expression, { screen } or { silence }")
}

/** Checks the arguments of a wait, which plain JavaScript may get wrong; succeeds with its timeout in milliseconds. */
export const checkWait = (
  condition: WaitCondition,
  options: { readonly timeout?: DurationInput | undefined },
): Effect.Effect<number, TerminalError> =>
  Effect.mapError(
    attemptOptions(() => {
      refuseUnknownOptions("waitFor", options, { timeout: true })
      checkCondition(condition)
      return millisOf("timeout", options.timeout ?? "30 seconds")
    }),
    ({ message, option }) => invalid(option, message),
  )
