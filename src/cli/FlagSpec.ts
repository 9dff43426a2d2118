/**
 * Declares and makes specs of flags (kind, help text, decoder), and decodes the texts of a command line into typed
 * values; refuses a flag if another flag that it requires is missing.
 *
 * One table of specs serves the fast parser of `sluice run`, effect/cli with its help, and configuration files.
 */
import * as Result from "effect/Result"
import { UsageError } from "./UsageError.ts"
import type { Parsed } from "./parseValues.ts"

/** A flag whose decoded value has type `A`. */
export interface FlagSpec<out A> {
  /** A switch takes no value; a list may be repeated. */
  readonly kind: "switch" | "value" | "list"
  /** Placeholder of the value in the help; empty for a switch. */
  readonly metavar: string
  readonly about: string
  /** Short name: `i` for `-i`. */
  readonly alias?: string | undefined
  /** The flag without which this one has no effect, and is refused. */
  readonly requires?: string | undefined
  /** Decodes the given texts, none if the flag is not given; fails with the problem, in one line. */
  readonly decode: (texts: ReadonlyArray<string>) => Parsed<A>
}

export type FlagTable<V> = { readonly [K in keyof V]: FlagSpec<V[K]> }

export type FlagSpecs = Readonly<Record<string, FlagSpec<unknown>>>

/** The texts of each given flag; a switch that is on has one. */
export type FlagTexts = ReadonlyMap<string, ReadonlyArray<string>>

export const switchFlag = (about: string): FlagSpec<boolean> => ({
  kind: "switch",
  metavar: "",
  about,
  decode: (texts) => Result.succeed(texts.length > 0),
})

/** Makes a flag with one value; `undefined` if it is not given. */
export const valueFlag = <A>(
  metavar: string,
  about: string,
  parse: (text: string) => Parsed<A>,
): FlagSpec<A | undefined> => ({
  kind: "value",
  metavar,
  about,
  decode: ([text]) => text === undefined ? Result.succeed(undefined) : parse(text),
})

/** Makes a repeatable flag whose texts are parsed one by one. */
export const listFlag = <A>(
  metavar: string,
  about: string,
  parse: (text: string) => Parsed<A>,
): FlagSpec<ReadonlyArray<A>> => ({
  kind: "list",
  metavar,
  about,
  decode: (texts) => Result.all(texts.map(parse)),
})

/** Makes a repeatable flag whose texts are parsed together; `undefined` if it is not given. */
export const combinedFlag = <A>(
  metavar: string,
  about: string,
  parse: (texts: ReadonlyArray<string>) => Parsed<A>,
): FlagSpec<A | undefined> => ({
  kind: "list",
  metavar,
  about,
  decode: (texts) => texts.length === 0 ? Result.succeed(undefined) : parse(texts),
})

const isComplete = <V>(table: FlagTable<V>, values: Partial<V>): values is V =>
  Object.keys(table).every((name) => name in values)

/** Decodes the flags of a table. Fails for an invalid value, and for a flag whose required flag is missing. */
export const decodeFlags = <V>(table: FlagTable<V>, texts: FlagTexts): Result.Result<V, UsageError> => {
  const values: Partial<V> = {}
  for (const name in table) {
    const { decode, requires } = table[name]
    if (requires !== undefined && texts.has(name) && !texts.has(requires)) {
      return Result.fail(new UsageError(`--${name} requires --${requires}`))
    }
    const decoded = decode(texts.get(name) ?? [])
    if (Result.isFailure(decoded)) return Result.fail(new UsageError(`--${name}: ${decoded.failure}`))
    values[name] = decoded.success
  }
  if (!isComplete(table, values)) throw new Error("a flag of the table was not decoded")
  return Result.succeed(values)
}
