/**
 * Parses the flags of `sluice mcp` into a typed request.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { ConfiguredFlags } from "../config/readConfiguredFlags.ts"
import { onlyWith, parsedFlag } from "../flagValues.ts"
import type { CliProcess } from "../CliProcess.ts"
import { parseRedaction, type RedactionRequest } from "../redaction.ts"
import {
  type CommandPolicyRequest,
  type HostsRequest,
  readCommandPolicy,
  readHosts,
  readServerRequest,
  serverFlags,
  type ServerRequest,
} from "../serverFlags.ts"
import type { UsageError } from "../UsageError.ts"
import { parseBytes, parsePositiveDuration } from "../parseValues.ts"

/** Address, tokens and allowed hosts of MCP over HTTP. */
export type McpHttp = ServerRequest & HostsRequest

/** The parsed flags of `sluice mcp`. */
export interface McpRequest extends CommandPolicyRequest {
  readonly timeoutMillis: number | undefined
  readonly maxOutputBytes: number | undefined
  readonly journal: string | undefined
  /** Redaction of the journal. */
  readonly redaction: RedactionRequest
  /** `undefined` for stdin and stdout. */
  readonly http: McpHttp | undefined
}

/** Parses the values of the flags. */
export const readMcpRequest = (
  { tokens, words }: ConfiguredFlags,
  own: CliProcess,
): Result.Result<McpRequest, UsageError> =>
  Result.gen(function* () {
    const common = {
      ...(yield* readCommandPolicy(words, own, undefined)),
      timeoutMillis: yield* parsedFlag(words, "timeout", parsePositiveDuration),
      maxOutputBytes: yield* parsedFlag(words, "max-output", parseBytes),
      journal: words.get("journal")?.[0],
      redaction: yield* parseRedaction(words),
    }
    yield* onlyWith(words, "http", Object.keys(serverFlags("")))
    const server = yield* readServerRequest(words, own, "http", 0, tokens)
    const names = yield* readHosts(words, "http", server.host, ["allow-host", "allow-origin"])
    return { ...common, http: words.has("http") ? { ...server, ...names } : undefined }
  })
