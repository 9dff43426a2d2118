/**
 * What `sluice serve` is asked for.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { Address } from "../Listening.ts"
import type { OwnProcess } from "../OwnProcess.ts"
import { UsageError } from "../UsageError.ts"
import { parseDuration } from "../values.ts"

/** What may be run, as the variables of the execution document say it: items with commas between them. */
export interface Allowed {
  readonly ALLOWED_COMMANDS: string
  readonly ALLOWED_CWD_ROOTS: string | undefined
}

/** What `sluice serve` is asked for. */
export interface ServeRequest extends Address {
  /** What clients must send; a new one is made and told when there is none. */
  readonly token: string | undefined
  readonly journal: string | undefined
  /** Missing where nothing was said: then everything may be run. */
  readonly allowed: Allowed | undefined
  readonly maxConcurrent: number | undefined
  readonly drainMillis: number
}

/** The flags that were given, as texts. */
export type ServeWords = ReadonlyMap<string, ReadonlyArray<string>>

const parsed = <A>(
  words: ServeWords,
  name: string,
  parse: (text: string) => Result.Result<A, string>,
): Result.Result<A | undefined, UsageError> => {
  const text = words.get(name)?.[0]
  return text === undefined
    ? Result.succeed(undefined)
    : Result.mapError(parse(text), (why) => new UsageError(`--${name}: ${why}`))
}

const parsePort = (text: string): Result.Result<number, string> =>
  /^\d+$/.test(text) && Number(text) <= 65_535 ? Result.succeed(Number(text)) : Result.fail(`${text} is no port`)

const parseCount = (text: string): Result.Result<number, string> =>
  /^[1-9]\d{0,8}$/.test(text) ? Result.succeed(Number(text)) : Result.fail(`"${text}" is no whole number from 1`)

/** An item with a comma would be two: the variables have no way to say it. */
const joined = (words: ServeWords, name: string): Result.Result<string | undefined, UsageError> => {
  const items = words.get(name)
  const wrong = items?.find((item) => item.includes(",") || item.trim() === "")
  return wrong === undefined
    ? Result.succeed(items?.join(","))
    : Result.fail(new UsageError(`--${name}: "${wrong}" is no name; give the flag once for each`))
}

/** Flags go before variables. Roots alone restrict where, and nothing else; a variable that is empty allows nothing. */
const readAllowed = (words: ServeWords, own: OwnProcess): Result.Result<Allowed | undefined, UsageError> =>
  Result.gen(function* () {
    const commands = (yield* joined(words, "allow-command")) ?? own.variable("ALLOWED_COMMANDS")
    const roots = (yield* joined(words, "allow-cwd-root")) ?? own.variable("ALLOWED_CWD_ROOTS")
    if (commands === undefined && (roots === undefined || roots.trim() === "")) return undefined
    return { ALLOWED_COMMANDS: commands ?? "*", ALLOWED_CWD_ROOTS: roots }
  })

/** Reads what was asked for. */
export const readServeRequest = (words: ServeWords, own: OwnProcess): Result.Result<ServeRequest, UsageError> =>
  Result.gen(function* () {
    return {
      host: words.get("host")?.[0] ?? "127.0.0.1",
      port: (yield* parsed(words, "port", parsePort)) ?? 8787,
      // As elsewhere, an empty variable is one that is not set.
      token: words.get("token")?.[0] ?? (own.variable("SLUICE_TOKEN") || undefined),
      journal: words.get("journal")?.[0],
      allowed: yield* readAllowed(words, own),
      maxConcurrent: yield* parsed(words, "max-concurrent", parseCount),
      drainMillis: (yield* parsed(words, "drain", parseDuration)) ?? 0,
    }
  })
