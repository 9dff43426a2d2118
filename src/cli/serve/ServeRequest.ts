/** Builds the request of `sluice serve` (address, tokens, policy, MCP hosts) from its flags and the environment. */
import * as Result from "effect/Result"
import type { CliProcess } from "../CliProcess.ts"
import type { ConfiguredFlags } from "../config/readConfiguredFlags.ts"
import { enterFirstRoot } from "../enterFirstRoot.ts"
import { decodeFlags } from "../FlagSpec.ts"
import {
  type CommandPolicyRequest,
  type HostsRequest,
  readCommandPolicy,
  readHosts,
  readServerRequest,
  type ServerRequest,
} from "../serverFlags.ts"
import type { UsageError } from "../UsageError.ts"
import { type ServeFlags, serveFlags } from "./serveCommand.ts"

/** The server to run. */
export interface ServeRequest extends ServerRequest, CommandPolicyRequest {
  readonly flags: ServeFlags
  /** The MCP tools beside the routes; `undefined` unless requested. */
  readonly mcp: HostsRequest | undefined
}

/** Decodes the flags and builds the request. */
export const readServeRequest = (
  { texts, tokens }: ConfiguredFlags,
  cli: CliProcess,
): Result.Result<ServeRequest, UsageError> =>
  Result.gen(function* () {
    const flags = yield* decodeFlags(serveFlags, texts)
    const server = yield* readServerRequest(flags, flags.port ?? 8787, cli, tokens)
    const { allowed, entered } = enterFirstRoot(readCommandPolicy(flags, cli, "*"))
    return { ...server, flags, allowed, entered, mcp: flags.mcp ? readHosts(flags, server.host) : undefined }
  })
