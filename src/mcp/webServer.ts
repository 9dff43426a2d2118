/** Builds Effect's MCP server as a fetch handler. */
import * as McpServer from "effect/ai/McpServer"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { withLogLayer } from "../base/stderrLogs.ts"
import type { Shell } from "../shell/Shell.ts"
import { identityOf, protocols } from "./McpIdentity.ts"
import type { McpRoutesOptions } from "./McpRoutesOptions.ts"
import type { ToolSettings } from "./McpToolOptions.ts"
import { registrationsOf, spellRegistrationsOf } from "./registrations.ts"
import { toolNames } from "./toolNames.ts"
import { visibilityByRights } from "./McpCaller.ts"

export interface WebServer {
  /** Answers a request, with services for this request. Rejects if the server cannot be built. */
  readonly handler: (request: Request, context?: Context.Context<never>) => Promise<Response>
  readonly dispose: () => Promise<void>
  /** The services of the tools, once they are built. */
  readonly services: () => Context.Context<never> | undefined
}

const toolsOf = <R>(
  options: McpRoutesOptions<R>,
  settings: ToolSettings,
  noteServices: Layer.Layer<never>,
): Layer.Layer<never, unknown, McpServer.McpServer> => {
  if (options.spells === undefined) {
    const { context, layer, server } = options
    const services: Layer.Layer<Shell, unknown> = server === undefined
      ? layer ?? Layer.succeedContext(context)
      : server.sharedServices.layer
    return Layer.provide(Layer.merge(registrationsOf(settings, options.registrations), noteServices), services)
  }
  const spells = Layer.merge(spellRegistrationsOf(options, settings), noteServices)
  if (options.server !== undefined) {
    return spells.pipe(Layer.provide(options.layer), Layer.provide(options.server.sharedServices.layer))
  }
  return Layer.provide(spells, options.layer ?? Layer.succeedContext(options.context))
}

/** Builds the server. The signal of `settings` ends all its commands. */
export const makeWebServer = <R>(options: McpRoutesOptions<R>, settings: ToolSettings): WebServer => {
  const ownTools = options.spells === undefined ? toolNames : new Set(options.spells.spells.keys())
  let known: Context.Context<never> | undefined
  const noteServices = Layer.effectDiscard(Effect.map(Effect.context(), (services) => void (known = services)))
  const server = McpServer.layerHttp({
    ...identityOf(options),
    path: "*",
    protocols,
    allowSessionTermination: true,
    // Tools and resources do not change, and a subscription would hold a connection open without limit.
    allowSubscriptions: false,
    registrations: Layer.mergeAll(toolsOf(options, settings, noteServices), visibilityByRights(ownTools)),
  })
  const handler = HttpRouter.toWebHandler(
    withLogLayer(Layer.provide(server, HttpServer.layerServices)),
    { disableLogger: true },
  )
  return { ...handler, services: () => known }
}
