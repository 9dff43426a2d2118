/**
 * Builds the requests of `sluice serve` and `sluice mcp` (policy, address, tokens, hosts) from their flags and the environment.
 */
import * as Result from "effect/Result"
import type { CliProcess } from "./CliProcess.ts"
import type { ConfiguredFlags } from "./config/readConfiguredFlags.ts"
import { enterFirstRoot } from "./enterFirstRoot.ts"
import { decodeFlags } from "./FlagSpec.ts"
import {
  type CommandPolicyRequest,
  type HostsRequest,
  readCommandPolicy,
  readHosts,
  readServerRequest,
  type ServerRequest,
} from "./serverFlags.ts"
import { UsageError } from "./UsageError.ts"
import { type McpFlags, mcpFlags } from "./mcp/mcpSpec.ts"
import { type ServeFlags, serveFlags } from "./serve/serveSpec.ts"

export type McpHttp = ServerRequest & HostsRequest

export interface McpRequest extends CommandPolicyRequest {
  readonly flags: McpFlags
  /** `undefined` for stdin and stdout. */
  readonly http: McpHttp | undefined
}

export const readMcpRequest = (
  { texts, tokens }: ConfiguredFlags,
  cli: CliProcess,
): Result.Result<McpRequest, UsageError> =>
  Result.gen(function* () {
    const decoded = yield* decodeFlags(mcpFlags, texts)
    const unused = decoded.spells
      ? (["timeout", "max-output", "terminals"] as const).find((name) => texts.has(name))
      : undefined
    if (unused !== undefined) {
      const why = unused === "terminals" ? "spells have start_process" : "spells have parameters for both"
      return yield* Result.fail(
        new UsageError(`--${unused} and --spells are mutually exclusive: ${why}`),
      )
    }
    if (decoded.sandbox && decoded.isolated) {
      return yield* Result.fail(new UsageError("--sandbox and --isolated are mutually exclusive"))
    }
    // Commands of spells run in the folder that the other spells see. The roots of a sandbox are its own folders.
    const named: McpFlags = decoded.spells && !decoded.sandbox
      ? { ...decoded, "default-cwd": decoded["default-cwd"] ?? decoded.root }
      : decoded
    const policy = readCommandPolicy(named, cli, undefined)
    const { allowed, entered } = decoded.sandbox ? policy : enterFirstRoot(policy)
    const flags: McpFlags = decoded.spells ? { ...named, root: named.root ?? entered } : named
    if (flags.http === undefined) return { flags, allowed, entered, http: undefined }
    const server = yield* readServerRequest(flags, flags.http, cli, tokens)
    return { flags, allowed, entered, http: { ...server, ...readHosts(flags, server.host) } }
  })

export interface ServeRequest extends ServerRequest, CommandPolicyRequest {
  readonly flags: ServeFlags
  /** The MCP tools beside the routes; `undefined` unless requested. */
  readonly mcp: HostsRequest | undefined
}

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
