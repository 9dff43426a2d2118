/** Parses the flag values that several subcommands take. Each failure is one line. */
import * as Result from "effect/Result"
import { quote } from "../base/quote.ts"
import { errorMessage } from "../base/errorMessage.ts"
import type { CommandLimits } from "../command/CommandLimits.ts"

export type Parsed<A> = Result.Result<A, string>

export const parseText = (text: string): Parsed<string> => Result.succeed(text)

/** Accepts any text except an empty one. */
export const parseNonEmpty = (text: string): Parsed<string> =>
  text === "" ? Result.fail("is empty") : Result.succeed(text)

/** Makes a parser of one of several words; `kind` names them in the message. */
export const parseChoice = <A extends string>(kind: string, choices: ReadonlyArray<A>) => (text: string): Parsed<A> => {
  const choice = choices.find((each) => each === text)
  return choice === undefined
    ? Result.fail(`${quote(text)} is not ${kind}; write one of ${choices.join(", ")}`)
    : Result.succeed(choice)
}

export const parsePattern = (text: string): Parsed<RegExp> => {
  if (text === "") return Result.fail("is empty")
  try {
    return Result.succeed(new RegExp(text, "u"))
  } catch (error) {
    return Result.fail(
      `${quote(text)} is not a regular expression: ${errorMessage(error)}`,
    )
  }
}

export const parseVariableName = (text: string): Parsed<string> =>
  text === "" || /[=\0]/.test(text) ? Result.fail(`${quote(text)} is not a variable name`) : Result.succeed(text)

const unitMillis: ReadonlyMap<string, number> = new Map([["ms", 1], ["s", 1_000], ["m", 60_000], ["h", 3_600_000]])

/** Parses `500ms`, `5s`, `1.5s`, `2m` or `1h` to milliseconds. A number without a unit is seconds, as in timeout(1). */
export const parseDuration = (text: string): Parsed<number> => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const millis = Number(number) * (unitMillis.get(unit ?? "s") ?? NaN)
  return Number.isSafeInteger(Math.ceil(millis))
    ? Result.succeed(millis)
    : Result.fail(`${quote(text)} is not a duration; write seconds, or a number with a unit, as in 5, 500ms, 2m, 1h`)
}

export const parsePositiveDuration = (text: string): Parsed<number> =>
  Result.flatMap(
    parseDuration(text),
    (millis) => millis > 0 ? Result.succeed(millis) : Result.fail(`${quote(text)} is not greater than zero`),
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
    : Result.fail(`${quote(text)} is not a size; write bytes, or a number with a unit, as in 64K, 512M, 1G`)
}

export const parseCountFrom =
  (min: number, max: number = Number.MAX_SAFE_INTEGER) => (text: string): Parsed<number> => {
    const count = /^\d+$/.test(text) ? Number(text) : NaN
    if (!Number.isSafeInteger(count) || count < min) {
      return Result.fail(`${quote(text)} is not a whole number from ${min}`)
    }
    return count <= max ? Result.succeed(count) : Result.fail(`${quote(text)} is more than ${max}`)
  }

// setrlimit(2) counts processor time in seconds.
const parseSeconds = (text: string): Parsed<number> =>
  Result.flatMap(
    parseDuration(text),
    (millis) =>
      millis % 1_000 === 0
        ? Result.succeed(millis / 1_000)
        : Result.fail(`${quote(text)} is not a whole number of seconds`),
  )

/** The limits of a table by name: the field that holds each, and the parser of its value. */
export type LimitTable<K extends string> = Readonly<
  Record<string, readonly [field: K, parse: (text: string) => Parsed<number>]>
>

/** Makes a parser of limits such as `memory=512M,processes=64`, given once or several times. Each is at least 1. */
export const limitsParser =
  <K extends string>(table: LimitTable<K>) =>
  (texts: ReadonlyArray<string>): Parsed<Readonly<Partial<Record<K, number>>>> => {
    const limits: Partial<Record<K, number>> = {}
    for (const part of texts.flatMap((text) => text.split(","))) {
      const [name, value] = splitOnce(part)
      const limit = Object.hasOwn(table, name) ? table[name] : undefined
      if (limit === undefined || value === undefined) {
        const names = Object.keys(table).join(", ")
        return Result.fail(`${quote(part)} is not a limit; the limits are ${names}, as in processes=64`)
      }
      const [field, parse] = limit
      if (limits[field] !== undefined) return Result.fail(`${quote(name)} is given twice`)
      const parsed = parse(value)
      if (Result.isFailure(parsed)) return Result.fail(`${name}: ${parsed.failure}`)
      if (parsed.success < 1) return Result.fail(`${name}: ${quote(value)} is less than 1`)
      limits[field] = parsed.success
    }
    return Result.succeed(limits)
  }

/** The limits of a command by their names on the command line. */
export const commandLimits: LimitTable<keyof CommandLimits> = {
  memory: ["memoryBytes", parseBytes],
  cpu: ["cpuSeconds", parseSeconds],
  processes: ["processes", parseCountFrom(0)],
  file: ["fileSizeBytes", parseBytes],
}

export const parseLimits: (texts: ReadonlyArray<string>) => Parsed<CommandLimits> = limitsParser(commandLimits)

/** Parses variables, `K=V`. A value may be empty and contain `=`; the last value of a name wins. */
export const parseVariables = (texts: ReadonlyArray<string>): Parsed<Readonly<Record<string, string>>> => {
  const variables = new Map<string, string>()
  for (const text of texts) {
    const [name, value] = splitOnce(text)
    if (name === "" || value === undefined) return Result.fail(`${quote(text)} is not a variable; write NAME=VALUE`)
    variables.set(name, value)
  }
  return Result.succeed(Object.fromEntries(variables))
}

const splitOnce = (text: string): readonly [name: string, value: string | undefined] => {
  const at = text.indexOf("=")
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
