/**
 * `sluice mcp --http`: a route on a port.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { mcpRoutes, type McpSource } from "../../mcp/mcpRoutes.ts"
import type { McpIdentity } from "../../mcp/McpIdentity.ts"
import type { McpSettings } from "../../mcp/McpSettings.ts"
import { listen } from "../listen.ts"
import type { Output } from "../Output.ts"
import { isOnlyHere, newToken, urlOf } from "../reach.ts"
import { say } from "../say.ts"
import { UsageError } from "../UsageError.ts"
import { aborted } from "./aborted.ts"
import type { McpHttp } from "./McpRequest.ts"

const reasonOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

/** Time that clients have to take the last of their answers. */
const farewell = "1 second"

/** Serves until `signal` is aborted; then ends all commands. */
export const overHttp = (
  options: McpSource & McpSettings & McpIdentity,
  { allowedHosts, allowedOrigins, host, port, token: given }: McpHttp,
  output: Output,
  signal: AbortSignal,
): Effect.Effect<void, UsageError> =>
  Effect.gen(function* () {
    const tell = (text: string): Effect.Effect<void> => Effect.ignore(say(output, text))
    const token = given ?? newToken()
    const routes = yield* Effect.try({
      try: () => mcpRoutes({ ...options, token, allowedHosts, allowedOrigins }),
      catch: (error) => new UsageError(`--token: ${reasonOf(error)}`),
    })
    const server = yield* Effect.tryPromise({
      try: () => listen({ host, port }, (request, env) => routes.fetch(request, env)),
      catch: (error) => new UsageError(`cannot listen on ${urlOf(host, port)}: ${reasonOf(error)}`),
    })
    if (given === undefined) yield* tell(`token ${token}`)
    if (!isOnlyHere(host)) yield* tell(`others can reach ${host}, and what goes there is not encrypted`)
    yield* Effect.ignore(output.write(1, new TextEncoder().encode(`${urlOf(host, server.port)}/mcp\n`)))

    yield* aborted(signal)
    const closed = server.close()
    yield* Effect.promise(routes.dispose)
    const done = yield* Effect.timeoutOption(Effect.promise(() => closed), farewell)
    if (done._tag === "None") yield* Effect.promise(() => server.closeNow())
  })
