/** Reads a configuration file (TOML, or JSON if its name ends in `.json`), and merges it with the flags of a command line. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { parse, TomlError } from "smol-toml"
import type { TokenOptions } from "../../auth/TokenAccess.ts"
import { type CommandPolicyFlags, commandPolicyFlags } from "../commandPolicyFlags.ts"
import { daemonFlags } from "../daemon/daemonSpec.ts"
import type { FlagSpecs, FlagTable, FlagTexts } from "../FlagSpec.ts"
import { mcpFlags } from "../mcp/mcpSpec.ts"
import type { CliProcess } from "../CliProcess.ts"
import { serveFlags } from "../serve/serveSpec.ts"
import { describeExposure } from "../serverTokens.ts"
import { UsageError } from "../UsageError.ts"
import { parseTokens, tokenVariables } from "./parseTokens.ts"
import { type ConfigTable, configToFlags, hasToken } from "./configToFlags.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { readInputText } from "../commandInput.ts"

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

/** Parses TOML. The parser's message has the lines around a mistake, which may contain a token, after its first line. */
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

/** Reads and parses a file. Fails if the file cannot be read, is longer than 1 MiB, is not UTF-8, or does not parse. */
export const readConfigFile = (cli: CliProcess, file: string): Effect.Effect<ConfigTable, UsageError> =>
  Effect.flatMap(readInputText(cli, file, "--config", maxBytes), (text) =>
    Effect.try({
      try: () => parseTable(file, text),
      catch: (error) => new UsageError(`--config: ${file}: ${errorMessage(error)}`),
    }))

/** The flags of a subcommand, and the tokens, which only a file can define. */
export interface ConfiguredFlags {
  readonly texts: FlagTexts
  readonly tokens: ReadonlyArray<TokenOptions> | undefined
}

export const explainFlags: FlagTable<CommandPolicyFlags> = commandPolicyFlags("none")

/** The flags of the subcommands that a file can configure, by name. */
export const configurableCommands: Readonly<Record<string, FlagSpecs>> = {
  serve: serveFlags,
  daemon: daemonFlags,
  mcp: mcpFlags,
  run: explainFlags,
}

const isTable = (value: unknown): value is ConfigTable => Predicate.isObject(value)

/** Whether the file contains a token: at the top, in the table of a subcommand, or in `tokens`. */
const holdsToken = (config: ConfigTable): boolean =>
  [
    config,
    ...Object.keys(configurableCommands).map((name) => config[name]),
    ...(Array.isArray(config["tokens"]) ? config["tokens"] : []),
  ]
    .some((table) => isTable(table) && Object.hasOwn(table, "token"))

/** Merges the settings of a file for one subcommand with `given`, the command line's flags, which take precedence. */
export const applyConfig = (
  cli: CliProcess,
  file: string,
  config: ConfigTable,
  name: string,
  given: FlagTexts,
): Effect.Effect<ConfiguredFlags, UsageError> =>
  Effect.gen(function* () {
    const texts = yield* Effect.fromResult(configToFlags(config, configurableCommands, name, given))
    // A run has no clients, so the tokens may be unreadable for it.
    const tokens = name === "run" ? undefined : yield* Effect.fromResult(parseTokens(config, cli))
    if (tokens !== undefined && hasToken(texts) && !hasToken(given)) {
      return yield* Effect.fail("[[tokens]] and token or token-file are mutually exclusive")
    }
    const passed = tokenVariables(config).find((variable) => texts.get("pass-env")?.includes(variable))
    if (passed !== undefined) {
      return yield* Effect.fail(`pass-env would give the token in ${passed} to every command; remove it`)
    }
    const exposed = holdsToken(config) ? describeExposure(file) : undefined
    if (exposed !== undefined) {
      return yield* Effect.fail(`it contains a token, and ${exposed}, or use token-file or token-env`)
    }
    return { texts, tokens: hasToken(given) ? undefined : tokens }
  }).pipe(Effect.mapError((problem) => new UsageError(`--config: ${file}: ${problem}`)))

export const readConfiguredFlags = (
  cli: CliProcess,
  file: string,
  name: string,
  given: FlagTexts,
): Effect.Effect<ConfiguredFlags, UsageError> =>
  Effect.flatMap(readConfigFile(cli, file), (config) => applyConfig(cli, file, config, name, given))
