/** Converts values of callers into the words of a command; refuses values of other types. */
import { OptionError } from "../base/OptionError.ts"
import { isSecret } from "../command/plain/secret.ts"
import type { Word } from "../command/Secret.ts"
import { TemplateError } from "../command/plain/TemplateError.ts"
import type { Argument, TemplateArgument } from "./Argument.ts"
import type { RunResult } from "./RunResult.ts"
import { isRunResult } from "./runOutcome.ts"

/** The path of a `file:` URL, the text of another URL. */
const urlText = (url: URL): string => {
  if (url.protocol !== "file:") return url.href
  const path = decodeURIComponent(url.pathname)
  const drive = /^\/[A-Za-z]:/.test(path)
  return url.host !== ""
    ? `\\\\${url.host}${path.replaceAll("/", "\\")}`
    : drive
    ? path.slice(1).replaceAll("/", "\\")
    : path
}

/** A path, or the path of a `file:` URL. */
export const pathText = (path: string | URL): string => typeof path === "string" ? path : urlText(path)

/** The word of an argument; `undefined` for an invalid one, which plain JavaScript can pass. */
const readWord = (argument: TemplateArgument): Word | undefined =>
  typeof argument === "string" || isSecret(argument)
    ? argument
    : argument instanceof URL
    ? urlText(argument)
    : typeof argument === "number" || typeof argument === "bigint" || typeof argument === "boolean"
    ? String(argument)
    : isWhole(argument)
    ? argument.toString()
    : undefined

/** Converts arguments into words. `where` names the call in messages. */
export const wordsOf = (where: string, args: ReadonlyArray<Argument>): ReadonlyArray<Word> => {
  if (!Array.isArray(args)) {
    throw new OptionError("args", `${where}: the arguments must be a list, got ${describe(args)}: write ["a", "b"]`)
  }
  // `map` would skip the holes of a list.
  return Array.from(args, (argument: Argument, index) => {
    const word = readWord(argument)
    if (word !== undefined) return word
    const kinds = "an argument is text, a number, a boolean, a URL, a result or a secret"
    throw new OptionError("args", `${where}: argument ${index + 1} is ${describe(argument)}; ${kinds}`)
  })
}

/** Converts the value of a variable; `null` removes it. */
export const variableOf = (name: string, value: Argument | null): Word | null => {
  const word = value === null ? null : readWord(value)
  if (word !== undefined) return word
  throw new OptionError(
    "env",
    `env.${name} is ${describe(value)}: write text, a number, a secret, or null to remove it`,
  )
}

/** Whether a value is a result with its whole text: a truncated text would be a different argument. */
const isWhole = (value: unknown): value is RunResult =>
  isRunResult(value) && value.stdoutBytesOmitted === 0 && (value.stdout !== "" || value.stdoutBytes === 0)

const describe = (value: unknown): string =>
  typeof value !== "object"
    ? typeof value
    : value === null
    ? "null"
    : Array.isArray(value)
    ? "a list"
    : isRunResult(value)
    ? "a result whose stdout was not kept whole"
    : "then" in value
    ? `a ${Symbol.asyncIterator in value ? "command" : "promise"} that was not awaited: write \${await …}`
    : "an object"

export const isTemplate = (u: object | string): u is TemplateStringsArray => Array.isArray(u)

/** Takes the other arguments of a tag as values: plain JavaScript can pass anything, and invalid values are refused later. */
export const areValues = (rest: ReadonlyArray<unknown>): rest is ReadonlyArray<TemplateArgument> => Array.isArray(rest)

const isList = (value: TemplateArgument): value is ReadonlyArray<Argument> => Array.isArray(value)

/** Converts the values of a template into words and lists of words. Throws a `TemplateError` for an invalid value. */
export const templateWords = (
  values: ReadonlyArray<TemplateArgument>,
): ReadonlyArray<Word | ReadonlyArray<Word>> =>
  values.map((value, index) => {
    const wordOf = (item: Argument): Word => {
      const word = readWord(item)
      if (word !== undefined) return word
      const kinds = "write text, a number, a boolean, a URL, a result or a secret, or a list of these"
      const message = `the value after template part ${index} is ${describe(item)}: ${kinds}`
      throw TemplateError.because("InvalidValue", message)
    }
    return isList(value) ? Array.from(value, wordOf) : wordOf(value)
  })
