/**
 * Parses the values of server flags into typed options.
 *
 * @module
 */
import * as Result from "effect/Result"
import { UsageError } from "./UsageError.ts"

/** The given flags, as texts. */
export type FlagWords = ReadonlyMap<string, ReadonlyArray<string>>

/** Parses the value of a flag; `undefined` if it was not given. */
export const parsedFlag = <A>(
  words: FlagWords,
  name: string,
  parse: (text: string) => Result.Result<A, string>,
): Result.Result<A | undefined, UsageError> => {
  const text = words.get(name)?.[0]
  return text === undefined
    ? Result.succeed(undefined)
    : Result.mapError(parse(text), (why) => new UsageError(`--${name}: ${why}`))
}

/** Refuses flags that have an effect only with another flag. */
export const onlyWith = (
  words: FlagWords,
  other: string,
  names: ReadonlyArray<string>,
): Result.Result<void, UsageError> => {
  const useless = words.has(other) ? undefined : names.find((name) => words.has(name))
  return useless === undefined
    ? Result.succeed(undefined)
    : Result.fail(new UsageError(`--${useless} requires --${other}`))
}

/** Parses a port. */
export const parsePort = (text: string): Result.Result<number, string> =>
  /^\d+$/.test(text) && Number(text) <= 65_535 ? Result.succeed(Number(text)) : Result.fail(`"${text}" is not a port`)
