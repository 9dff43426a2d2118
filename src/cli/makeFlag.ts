/**
 * Converts a table of flag specs into effect/cli flags, and filters those that were given.
 *
 * @module
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { FlagSpec } from "./flags.ts"

/** The texts that were given for a flag; a switch that is on has one. */
export type FlagTexts = ReadonlyArray<string>

/** Makes a flag whose value is the texts that were given for it. */
export const makeFlag = (name: string, { about, kind, metavar }: FlagSpec): Flag.Flag<FlagTexts> => {
  if (kind === "switch") {
    return Flag.Boolean(name).pipe(
      Flag.withoutNegation,
      Flag.withDescription(about),
      Flag.withDefault(false),
      Flag.map((is): FlagTexts => is ? ["true"] : []),
    )
  }
  const text = Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(about))
  return kind === "list"
    ? Flag.atLeast(text, 0)
    : Flag.map(Flag.optional(text), (given): FlagTexts => Option.toArray(given))
}

/** Makes all flags of a table. */
export const makeFlags = (specs: Readonly<Record<string, FlagSpec>>): Record<string, Flag.Flag<FlagTexts>> =>
  Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, makeFlag(name, spec)]))

/** Returns the flags that were given, with their texts. */
export const givenFlags = (values: Readonly<Record<string, FlagTexts>>): ReadonlyArray<readonly [string, FlagTexts]> =>
  Object.entries(values).filter(([, texts]) => texts.length > 0)
