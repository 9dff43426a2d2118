/** Defines `OptionError`, and refuses unknown options and values of the wrong kind. */
import { quote } from "./quote.ts"
import { didYouMean, findSimilar } from "./findNearest.ts"

/**
 * A mistake in the options of a call; `option` names it, and `message` says what to write instead.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const error = await Effect.runPromise(LocalShell.make({ maxConcurrency: 0 }).pipe(Effect.scoped, Effect.flip))
 * console.log(error._tag === "OptionError" && error.option) // maxConcurrency
 * ```
 */
export class OptionError extends TypeError {
  /** Distinguishes this error from others, also across two copies of this module. */
  readonly _tag = "OptionError"
  /** The option's name. */
  readonly option: string

  /** Made where options are read. */
  constructor(option: string, message: string) {
    super(message)
    this.name = "OptionError"
    this.option = option
  }
}

/** Names that other tools and earlier drafts have for our options. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["workingDirectory", "cwd"],
  ["environment", "env"],
  ["inheritEnvironment", "extendEnv"],
  ["reject", "check"],
  ["nothrow", "check"],
  ["preferLocal", "localBin"],
  ["cancelSignal", "signal"],
  ["maxBuffer", "maxOutputBytes"],
  ["forceKillAfterDelay", "grace"],
  ["gracePeriod", "grace"],
  ["defaultTimeout", "timeout"],
  ["concurrencyLimit", "maxConcurrency"],
  ["all", "mergeStreams"],
  ["file", "path"],
  ["filename", "path"],
])

/** The option that a name may be a typo of, or that it begins with: `timeoutMillis`. */
const similarOption = (name: string, known: ReadonlyArray<string>): string | undefined =>
  findSimilar(name, known) ?? known.find((option) => option.length >= 4 && name.startsWith(option))

/** Refuses unknown options: in plain JavaScript a misspelt option would be silently ignored. */
export const refuseUnknownOptions = (
  where: string,
  options: unknown,
  known: Readonly<Record<string, unknown>>,
): void => {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    const got = options === null ? "null" : Array.isArray(options) ? "array" : typeof options
    throw new OptionError("options", `${where}: the options must be an object, got ${got}`)
  }
  for (const name in options) {
    if (Object.hasOwn(known, name)) continue
    const other = otherNames.get(name)
    const meant = other !== undefined && Object.hasOwn(known, other) ? other : similarOption(name, Object.keys(known))
    throw new OptionError(name, `${where}: unknown option ${quote(name)}${didYouMean(meant)}`)
  }
}

/** Picks the options with these names from options that a call takes for several purposes. */
export const pickOptions = <Options extends object>(
  options: Options,
  names: Readonly<Record<keyof Options, unknown>>,
): Options => {
  const picked = { ...options }
  for (const name in picked) if (!Object.hasOwn(names, name)) Reflect.deleteProperty(picked, name)
  return picked
}

/** Shows the value of an option in a message; text in quotes. */
export const showValue = (value: unknown): string => {
  if (typeof value === "string") return quote(value)
  try {
    return String(value)
  } catch {
    // An object without a prototype has no text.
    return typeof value
  }
}

/** Names only the kind of a value in a message, because the value may be a secret. */
export const kindOf = (value: unknown): string =>
  value === undefined || value === null
    ? String(value)
    : Array.isArray(value)
    ? "a list"
    : `${typeof value === "object" ? "an" : "a"} ${typeof value}`

/** Checks options that are `true` or `false`, or left out: `"false"` would count as true. */
export const requireBooleans = <Values extends Readonly<Record<string, boolean | undefined>>>(
  where: string,
  values: Values,
): Values => {
  for (const [option, value] of Object.entries(values)) {
    if (value === undefined || typeof value === "boolean") continue
    throw new OptionError(option, `${where}: ${option} must be true or false, got ${showValue(value)}`)
  }
  return values
}

/** The bounds of a count. If `max` is `Infinity`, the option accepts `Infinity`. */
export interface CountBounds {
  readonly min: number
  /** Default: `Infinity`. */
  readonly max?: number | undefined
}

/** Bounds of a count that a number holds exactly. */
export const finiteFrom = (min: number): CountBounds => ({ min, max: Number.MAX_SAFE_INTEGER })

export const isCount = (value: unknown, { max = Infinity, min }: CountBounds): value is number =>
  (value === Infinity && max === Infinity) ||
  (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max)

/** Describes the values that a count may have, for messages. */
export const countRule = ({ max = Infinity, min }: CountBounds): string =>
  `a whole number from ${min}` +
  (max === Infinity ? " or Infinity" : max === Number.MAX_SAFE_INTEGER ? "" : ` to ${max}`)

/** Checks an option that is a count, and returns it. Throws an `OptionError`. */
export const requireCount = (where: string, option: string, value: number, bounds: CountBounds): number => {
  if (isCount(value, bounds)) return value
  throw new OptionError(option, `${where}: ${option} must be ${countRule(bounds)}, got ${showValue(value)}`)
}

/** Checks options that are counts from 0, and fills in the defaults. `prefix` precedes each name in errors: `limits.`. */
export const requireCounts = <Name extends string>(
  where: string,
  prefix: string,
  given: { readonly [N in Name]?: number | undefined },
  defaults: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> => {
  const counts: Record<Name, number> = { ...defaults }
  for (const name in defaults) {
    counts[name] = requireCount(where, prefix + name, given[name] ?? defaults[name], { min: 0 })
  }
  return counts
}
