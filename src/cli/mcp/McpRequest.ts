/**
 * What `sluice mcp` is asked for.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { Address } from "../Listening.ts"
import type { OwnProcess } from "../OwnProcess.ts"
import { UsageError } from "../UsageError.ts"
import { parseBytes, parsePositiveDuration } from "../values.ts"

/** Where to serve over HTTP, and for whom. */
export interface McpHttp extends Address {
  /** What clients must send; a new one is made and told when there is none. */
  readonly token: string | undefined
  readonly allowedHosts: ReadonlyArray<string> | undefined
  readonly allowedOrigins: ReadonlyArray<string>
}

/** What `sluice mcp` is asked for. */
export interface McpRequest {
  readonly timeoutMillis: number | undefined
  readonly maxOutputBytes: number | undefined
  readonly journal: string | undefined
  /** Missing for stdin and stdout. */
  readonly http: McpHttp | undefined
}

/** The flags that were given, as texts. */
export type McpWords = ReadonlyMap<string, ReadonlyArray<string>>

/** Flags that mean something only with `--http`. */
const httpOnly: ReadonlyArray<string> = ["host", "token", "allow-host", "allow-origin"]

const parsed = <A>(
  words: McpWords,
  name: string,
  parse: (text: string) => Result.Result<A, string>,
): Result.Result<A | undefined, UsageError> => {
  const text = words.get(name)?.[0]
  return text === undefined
    ? Result.succeed(undefined)
    : Result.mapError(parse(text), (why) => new UsageError(`--${name}: ${why}`))
}

const parsePort = (text: string): Result.Result<number, string> =>
  /^\d+$/.test(text) && Number(text) <= 65_535 ? Result.succeed(Number(text)) : Result.fail(`"${text}" is no port`)

/** Reads what was asked for. */
export const readMcpRequest = (words: McpWords, own: OwnProcess): Result.Result<McpRequest, UsageError> =>
  Result.gen(function* () {
    const timeoutMillis = yield* parsed(words, "timeout", parsePositiveDuration)
    const maxOutputBytes = yield* parsed(words, "max-output", parseBytes)
    const port = yield* parsed(words, "http", parsePort)
    const common = { timeoutMillis, maxOutputBytes, journal: words.get("journal")?.[0] }
    if (port === undefined) {
      const [useless] = httpOnly.filter((name) => words.has(name))
      if (useless === undefined) return { ...common, http: undefined }
      return yield* Result.fail(new UsageError(`--${useless} means something only with --http`))
    }
    return {
      ...common,
      http: {
        host: words.get("host")?.[0] ?? "127.0.0.1",
        port,
        // As elsewhere, an empty variable is one that is not set.
        token: words.get("token")?.[0] ?? (own.variable("SLUICE_TOKEN") || undefined),
        allowedHosts: words.get("allow-host"),
        allowedOrigins: words.get("allow-origin") ?? [],
      },
    }
  })
