/**
 * Converts a table of flag specs into flags of effect/cli.
 *
 * @module
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { FlagSpec } from "./flags.ts"

/** What was given for a flag, as text; a switch that is on has one text. */
export type Texts = ReadonlyArray<string>

/** A flag as the texts that were given for it. */
export const makeFlag = (name: string, { about, kind, metavar }: FlagSpec): Flag.Flag<Texts> => {
  if (kind === "switch") {
    return Flag.Boolean(name).pipe(
      Flag.withoutNegation,
      Flag.withDescription(about),
      Flag.withDefault(false),
      Flag.map((is): Texts => is ? ["true"] : []),
    )
  }
  const text = Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(about))
  return kind === "list"
    ? Flag.atLeast(text, 0)
    : Flag.map(Flag.optional(text), (given): Texts => Option.toArray(given))
}

/** All flags of a table. */
export const makeFlags = (specs: Readonly<Record<string, FlagSpec>>): Record<string, Flag.Flag<Texts>> =>
  Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, makeFlag(name, spec)]))

/** Those that were given. */
export const givenFlags = (values: Readonly<Record<string, Texts>>): ReadonlyArray<readonly [string, Texts]> =>
  Object.entries(values).filter(([, texts]) => texts.length > 0)
