/**
 * Reads a configuration file and parses it to a table of settings: TOML, or JSON if its name ends in `.json`.
 *
 * Source: https://toml.io/en/v1.0.0
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { parse, TomlError } from "smol-toml"
import { errorMessage } from "../../base/errorMessage.ts"
import { readInputText } from "../commandInput.ts"
import type { CliProcess } from "../CliProcess.ts"
import { UsageError } from "../UsageError.ts"

/** A table of settings. */
export type ConfigTable = Readonly<Record<string, unknown>>

/** Maximum size of a file. */
const maxBytes = 1_048_576

/** Parses JSON. The engines' messages quote the text around a mistake, which may be a token. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    const position = /\bat position (\d+)/.exec(String(error))?.[1]
    const line = position === undefined ? "" : `: line ${text.slice(0, Number(position)).split("\n").length}`
    throw new Error(`it is not JSON${line}`)
  }
}

/** Parses TOML. The parser's message has the lines around a mistake, which may contain a token, behind its first line. */
const parseToml = (text: string): unknown => {
  try {
    return parse(text)
  } catch (error) {
    const [problem] = errorMessage(error).split("\n")
    throw new Error(error instanceof TomlError ? `line ${error.line}, column ${error.column}: ${problem}` : problem)
  }
}

const parseTable = (file: string, text: string): ConfigTable => {
  const value: unknown = file.endsWith(".json") ? parseJson(text) : parseToml(text)
  if (!Predicate.isObject(value)) throw new Error("it is not a table of settings")
  return { ...value }
}

/** Reads and parses a file. Fails where it cannot be read, is longer than 1 MiB, is not UTF-8, or does not parse. */
export const readConfigFile = (cli: CliProcess, file: string): Effect.Effect<ConfigTable, UsageError> =>
  Effect.flatMap(readInputText(cli, file, "--config", maxBytes), (text) =>
    Effect.try({
      try: () => parseTable(file, text),
      catch: (error) => new UsageError(`--config: ${file}: ${errorMessage(error)}`),
    }))
