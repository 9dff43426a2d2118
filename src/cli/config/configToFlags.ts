/** Converts a parsed configuration file, whose keys are names of flags, to the flags of one subcommand. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { didYouMean, editDistance, findNearest, findSimilar } from "../../base/findNearest.ts"
import type { FlagSpec, FlagSpecs, FlagTexts } from "../FlagSpec.ts"
import type { Parsed } from "../parseValues.ts"

export type ConfigTable = Readonly<Record<string, unknown>>

/** Keys that are not flags: each token has a table, and a file cannot name another file. */
const ownKeys: ReadonlySet<string> = new Set(["tokens"])

const isText = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

/** Flags that set the same value in two ways: the flag with precedence also replaces the other. */
const tokenFlags: ReadonlyArray<string> = ["token", "token-file"]

export const hasToken = (texts: FlagTexts): boolean => tokenFlags.some((key) => texts.has(key))

/** Merges settings; those of `others` take precedence. */
const merge = (texts: FlagTexts, others: FlagTexts): FlagTexts =>
  new Map([...[...texts].filter(([key]) => !(hasToken(others) && tokenFlags.includes(key))), ...others])

const textsOf = (key: string, { kind, metavar }: FlagSpec<unknown>, value: unknown): Parsed<ReadonlyArray<string>> => {
  if (kind === "switch") {
    if (typeof value === "boolean") return Result.succeed(value ? ["true"] : [])
    return Result.fail(`${key} must be true or false`)
  }
  if (isText(value)) return Result.succeed([String(value)])
  if (kind === "list" && Array.isArray(value) && value.every(isText)) return Result.succeed(value.map(String))
  const isTable = metavar.includes("=") && Predicate.isObject(value)
  const pairs = isTable ? Object.entries(value) : []
  if (isTable && pairs.every(([, each]) => isText(each))) {
    return Result.succeed(pairs.map(([name, each]) => `${name}=${each}`))
  }
  return Result.fail(
    kind === "list"
      ? `${key} must be a string, or an array of strings${metavar.includes("=") ? ", or a table" : ""}`
      : `${key} must be a string or a number`,
  )
}

/** The table that a short name misspells, such as `rnu`: two letters are swapped. */
const findTable = (name: string, tables: ReadonlyArray<string>): string | undefined => {
  const nearest = findNearest(name, tables)
  return nearest === undefined || editDistance(name.slice(0, 100), nearest) > 2 ? undefined : nearest
}

const unknownKey = (key: string, value: unknown, flags: FlagSpecs, tables: ReadonlyArray<string>): string => {
  const like = findSimilar(key, [...Object.keys(flags), ...tables]) ??
    (Predicate.isObject(value) ? findTable(key, tables) : undefined)
  return `unknown setting ${key}${didYouMean(like, [" (", ")"])}`
}

interface FoundFlags {
  readonly texts: FlagTexts
  readonly problems: ReadonlyArray<string>
}

/** `tables` are the names of tables, for the message about an unknown name. */
const flagTextsOf = (table: ConfigTable, flags: FlagSpecs, tables: ReadonlyArray<string> = []): FoundFlags => {
  const texts = new Map<string, ReadonlyArray<string>>()
  const problems: Array<string> = []
  for (const [key, value] of Object.entries(table)) {
    const spec = Object.hasOwn(flags, key) && key !== "config" ? flags[key] : undefined
    const parsed = spec === undefined ? Result.fail(unknownKey(key, value, flags, tables)) : textsOf(key, spec, value)
    if (Result.isFailure(parsed)) problems.push(parsed.failure)
    else if (parsed.success.length > 0) texts.set(key, parsed.success)
  }
  return { texts, problems }
}

/**
 * Converts a file to the flags of a subcommand: top-level settings, for each subcommand that has such a flag, then the
 * settings in the subcommand's table, which take precedence. `given` takes precedence over both. A top-level setting that
 * requires a missing flag is left out. Fails for an unknown key and for a value of the wrong kind.
 */
export const configToFlags = (
  config: ConfigTable,
  commands: Readonly<Record<string, FlagSpecs>>,
  name: string,
  given: FlagTexts,
): Parsed<FlagTexts> =>
  Result.gen(function* () {
    const flags = commands[name] ?? {}
    const entries = Object.entries(config).filter(([key]) => !ownKeys.has(key))
    const isSection = (key: string): boolean => Object.hasOwn(commands, key) && Predicate.isObject(config[key])
    const everyFlag = Object.assign({}, ...Object.values(commands))
    const outside = Object.fromEntries(entries.filter(([key]) => !isSection(key)))
    const common = flagTextsOf(outside, everyFlag, [...Object.keys(commands), ...ownKeys])
    const sectionTable = isSection(name) ? config[name] : {}
    const section = flagTextsOf(Predicate.isObject(sectionTable) ? { ...sectionTable } : {}, flags)
    const problems = [...common.problems, ...section.problems.map((problem) => `[${name}]: ${problem}`)]
    if (problems.length > 0) return yield* Result.fail(problems.join("; "))
    const shared: FlagTexts = new Map([...common.texts].filter(([key]) => Object.hasOwn(flags, key)))
    const texts = new Map(merge(merge(shared, section.texts), given))
    for (const [key, { requires }] of Object.entries(flags)) {
      if (requires !== undefined && !texts.has(requires) && !given.has(key) && !section.texts.has(key)) {
        texts.delete(key)
      }
    }
    return texts
  })
