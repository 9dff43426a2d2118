/** Serves the MCP tools of `sluice mcp --http` on a port until a signal comes. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { McpIdentity } from "../../mcp/McpIdentity.ts"
import { mcpRoutes } from "../../mcp/mcpRoutes.ts"
import type { McpSpells, McpWithoutSpells } from "../../mcp/McpSpells.ts"
import type { McpSource } from "../../mcp/McpRoutesOptions.ts"
import type { McpToolOptions } from "../../mcp/McpToolOptions.ts"
import { aborted } from "../../base/abort.ts"
import type { OutputWriter } from "../ProcessOutput.ts"
import { announce, makeAppWithTokens, shutDown, startListening } from "../serveApp.ts"
import type { UsageError } from "../UsageError.ts"
import type { McpHttp } from "../serverRequests.ts"

export type McpServerOptions<R> =
  & ((McpSource & McpWithoutSpells) | (McpSpells<R> & { readonly context: Context.Context<NoInfer<R>> }))
  & McpToolOptions
  & McpIdentity

/** Serves until `signal` aborts, then ends all commands. */
export const overHttp = <R>(
  options: McpServerOptions<R>,
  request: McpHttp,
  output: OutputWriter,
  signal: AbortSignal,
): Effect.Effect<void, UsageError> =>
  Effect.gen(function* () {
    const { allowedHosts, allowedOrigins } = request
    const { app, token } = yield* makeAppWithTokens(
      request,
      (access) => mcpRoutes({ ...options, ...access, allowedHosts, cors: { origins: allowedOrigins } }),
    )
    const server = yield* startListening(request, app, "http")
    yield* announce(request, server, token, ["/mcp"], output)
    yield* aborted(signal)
    yield* shutDown(server, () => app.dispose(), false)
  })
