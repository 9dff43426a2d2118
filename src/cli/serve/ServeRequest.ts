/**
 * Parses the flags of `sluice serve` into a typed request.
 *
 * @module
 */
import * as Result from "effect/Result"
import { parsedFlag } from "../flagValues.ts"
import type { ConfiguredFlags } from "../config/readConfiguredFlags.ts"
import type { CliProcess } from "../CliProcess.ts"
import { parseRedaction, type RedactionRequest } from "../redaction.ts"
import {
  type CommandPolicyRequest,
  type HostsRequest,
  readCommandPolicy,
  readHosts,
  readServerRequest,
  type ServerRequest,
} from "../serverFlags.ts"
import type { UsageError } from "../UsageError.ts"
import { parseDuration } from "../parseValues.ts"

/** The parsed flags of `sluice serve`. */
export interface ServeRequest extends ServerRequest, CommandPolicyRequest {
  readonly journal: string | undefined
  readonly maxConcurrent: number | undefined
  readonly drainMillis: number
  /** Redaction of the journal. */
  readonly redaction: RedactionRequest
  /** The MCP tools beside the routes; `undefined` unless requested. */
  readonly mcp: HostsRequest | undefined
}

/** Parses a count from 1 to 999,999,999. */
export const parseCount = (text: string): Result.Result<number, string> =>
  /^[1-9]\d{0,8}$/.test(text)
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is not a whole number of at least 1`)

/** Parses the values of the flags. */
export const readServeRequest = (
  { tokens, words }: ConfiguredFlags,
  own: CliProcess,
): Result.Result<ServeRequest, UsageError> =>
  Result.gen(function* () {
    const server = yield* readServerRequest(words, own, "port", 8787, tokens)
    const names = yield* readHosts(words, "mcp", server.host, ["allow-origin"])
    return {
      ...server,
      ...(yield* readCommandPolicy(words, own, "*")),
      journal: words.get("journal")?.[0],
      maxConcurrent: yield* parsedFlag(words, "max-concurrent", parseCount),
      drainMillis: (yield* parsedFlag(words, "drain", parseDuration)) ?? 0,
      redaction: yield* parseRedaction(words),
      mcp: words.has("mcp") ? names : undefined,
    }
  })
