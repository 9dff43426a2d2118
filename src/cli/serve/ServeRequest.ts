/**
 * What `sluice serve` is asked for.
 *
 * @module
 */
import * as Result from "effect/Result"
import { type FlagWords, parsedFlag } from "../flagValues.ts"
import type { Allowed } from "../guarded.ts"
import type { OwnProcess } from "../OwnProcess.ts"
import { readRedaction, type RedactionRequest } from "../redaction.ts"
import {
  type CommandsRequest,
  type NamesRequest,
  readCommands,
  readNames,
  readServer,
  type ServerRequest,
} from "../serverFlags.ts"
import { UsageError } from "../UsageError.ts"
import { parseDuration } from "../values.ts"

/** What `sluice serve` is asked for. */
export interface ServeRequest extends ServerRequest, CommandsRequest {
  readonly journal: string | undefined
  /** Missing where nothing was said: then everything may be run. */
  readonly allowed: Allowed | undefined
  readonly maxConcurrent: number | undefined
  readonly drainMillis: number
  /** What is kept out of the journal. */
  readonly redaction: RedactionRequest
  /** The tools, beside the routes; missing where they were not asked for. */
  readonly mcp: NamesRequest | undefined
}

export const parseCount = (text: string): Result.Result<number, string> =>
  /^[1-9]\d{0,8}$/.test(text) ? Result.succeed(Number(text)) : Result.fail(`"${text}" is no whole number from 1`)

/** An item with a comma would be two: the variables have no way to say it. */
const joined = (words: FlagWords, name: string): Result.Result<string | undefined, UsageError> => {
  const items = words.get(name)
  const wrong = items?.find((item) => item.includes(",") || item.trim() === "")
  return wrong === undefined
    ? Result.succeed(items?.join(","))
    : Result.fail(new UsageError(`--${name}: "${wrong}" is no name; give the flag once for each`))
}

/** Flags go before variables. Roots alone restrict where, and nothing else; a variable that is empty allows nothing. */
export const readAllowed = (words: FlagWords, own: OwnProcess): Result.Result<Allowed | undefined, UsageError> =>
  Result.gen(function* () {
    const commands = (yield* joined(words, "allow-command")) ?? own.variable("ALLOWED_COMMANDS")
    const roots = (yield* joined(words, "allow-cwd-root")) ?? own.variable("ALLOWED_CWD_ROOTS")
    if (commands === undefined && (roots === undefined || roots.trim() === "")) return undefined
    return { ALLOWED_COMMANDS: commands ?? "*", ALLOWED_CWD_ROOTS: roots }
  })

/** Reads what was asked for. */
export const readServeRequest = (words: FlagWords, own: OwnProcess): Result.Result<ServeRequest, UsageError> =>
  Result.gen(function* () {
    const server = yield* readServer(words, own, "port", 8787)
    const names = yield* readNames(words, "mcp", server.host, ["allow-origin"])
    return {
      ...server,
      ...(yield* readCommands(words)),
      journal: words.get("journal")?.[0],
      allowed: yield* readAllowed(words, own),
      maxConcurrent: yield* parsedFlag(words, "max-concurrent", parseCount),
      drainMillis: (yield* parsedFlag(words, "drain", parseDuration)) ?? 0,
      redaction: yield* readRedaction(words),
      mcp: words.has("mcp") ? names : undefined,
    }
  })
