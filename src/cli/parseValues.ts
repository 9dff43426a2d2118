/**
 * Parses flag values: durations, sizes, limits, variables. Errors are one line.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { CommandLimits } from "../command/CommandLimits.ts"

type Parsed<A> = Result.Result<A, string>

const unitMillis: ReadonlyMap<string, number> = new Map([["ms", 1], ["s", 1_000], ["m", 60_000], ["h", 3_600_000]])

/** Parses `500ms`, `5s`, `1.5s`, `2m` or `1h` to milliseconds. A number without a unit is seconds, as in timeout(1). */
export const parseDuration = (text: string): Parsed<number> => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const millis = Number(number) * (unitMillis.get(unit ?? "s") ?? NaN)
  return Number.isSafeInteger(Math.ceil(millis))
    ? Result.succeed(millis)
    : Result.fail(`"${text}" is not a duration; write seconds, or a number with a unit, as in 5, 500ms, 2m, 1h`)
}

/** Parses a duration above zero to milliseconds. */
export const parsePositiveDuration = (text: string): Parsed<number> =>
  Result.flatMap(
    parseDuration(text),
    (millis) => millis > 0 ? Result.succeed(millis) : Result.fail(`"${text}" is not greater than zero`),
  )

const unitBytes: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["K", 1024],
  ["M", 1024 ** 2],
  ["G", 1024 ** 3],
  ["T", 1024 ** 4],
])

/** Parses `1000`, `64K`, `512M` or `1.5G` to bytes; K is 1,024. `KB` and `KiB` are the same as `K`. */
export const parseBytes = (text: string): Parsed<number> => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?$/i.exec(text) ?? []
  const bytes = Math.round(Number(number) * (unitBytes.get(unit?.toUpperCase() ?? "") ?? NaN))
  return Number.isSafeInteger(bytes)
    ? Result.succeed(bytes)
    : Result.fail(`"${text}" is not a size; write bytes, or a number with a unit, as in 64K, 512M, 1G`)
}

const atLeastOne = (parsed: Parsed<number>, text: string): Parsed<number> =>
  Result.flatMap(parsed, (n) => n >= 1 ? Result.succeed(n) : Result.fail(`"${text}" is less than 1`))

const parseCount = (text: string): Parsed<number> =>
  /^\d+$/.test(text) && Number.isSafeInteger(Number(text))
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is not a whole number`)

// setrlimit(2) counts processor time in seconds.
const parseSeconds = (text: string): Parsed<number> =>
  Result.flatMap(
    parseDuration(text),
    (millis) =>
      millis % 1_000 === 0 ? Result.succeed(millis / 1_000) : Result.fail(`"${text}" is not a whole number of seconds`),
  )

const limits: ReadonlyMap<
  string,
  { readonly field: keyof CommandLimits; readonly parse: (text: string) => Parsed<number> }
> = new Map([
  ["memory", { field: "memoryBytes", parse: parseBytes }],
  ["cpu", { field: "cpuSeconds", parse: parseSeconds }],
  ["processes", { field: "processes", parse: parseCount }],
  ["file", { field: "fileSizeBytes", parse: parseBytes }],
])

/** Names of limits on the command line with their fields in `CommandLimits`. */
export const limitsByName: ReadonlyArray<readonly [name: string, field: keyof CommandLimits]> = [...limits].map((
  [name, { field }],
) => [name, field])

/** Parses limits such as `memory=512M,cpu=10s,processes=64,file=1G`, all optional, given once or several times. */
export const parseLimits = (texts: ReadonlyArray<string>): Parsed<CommandLimits> => {
  const found: { -readonly [K in keyof CommandLimits]: CommandLimits[K] } = {}
  for (const part of texts.flatMap((text) => text.split(","))) {
    const [name = "", value] = splitOnce(part)
    const limit = limits.get(name)
    if (limit === undefined || value === undefined) {
      return Result.fail(`"${part}" is not a limit; write memory=512M, cpu=10s, processes=64 or file=1G, joined by ","`)
    }
    if (found[limit.field] !== undefined) return Result.fail(`"${name}" is given twice`)
    const parsed = atLeastOne(limit.parse(value), value)
    if (Result.isFailure(parsed)) return Result.fail(`${name}: ${parsed.failure}`)
    found[limit.field] = parsed.success
  }
  return Result.succeed(found)
}

/** Parses variables, `K=V`. A value may be empty and contain `=`; the last value of a name wins. */
export const parseVariables = (texts: ReadonlyArray<string>): Parsed<Readonly<Record<string, string>>> => {
  const variables = new Map<string, string>()
  for (const text of texts) {
    const [name = "", value] = splitOnce(text)
    if (name === "" || value === undefined) return Result.fail(`"${text}" is not a variable; write NAME=VALUE`)
    variables.set(name, value)
  }
  return Result.succeed(Object.fromEntries(variables))
}

const splitOnce = (text: string): readonly [string, string | undefined] => {
  const at = text.indexOf("=")
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
