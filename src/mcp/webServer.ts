/**
 * Builds Effect's MCP server as a fetch handler.
 *
 * @module
 */
import * as McpServer from "effect/ai/McpServer"
import type * as Context from "effect/Context"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import type { Shell } from "../shell/Shell.ts"
import { identityOf, protocols } from "./McpIdentity.ts"
import type { McpRoutesOptions } from "./McpRoutesOptions.ts"
import type { ToolSettings } from "./McpToolOptions.ts"
import { registrationsOf } from "./registrations.ts"
import { visibilityByRights } from "./McpCaller.ts"

/** A server that is built, or is being built. */
export interface WebServer {
  /** Answers a request, with services for this request. Rejects if the server cannot be built. */
  readonly handler: (request: Request, context?: Context.Context<never>) => Promise<Response>
  readonly dispose: () => Promise<void>
}

const servicesOf = ({ context, layer, server }: McpRoutesOptions): Layer.Layer<Shell, unknown> =>
  server === undefined ? layer ?? Layer.succeedContext(context) : server.sharedServices.layer

/** Builds the server. The signal of `settings` ends all its commands. */
export const makeWebServer = (options: McpRoutesOptions, settings: ToolSettings): WebServer => {
  const server = McpServer.layerHttp({
    ...identityOf(options),
    path: "*",
    protocols,
    allowSessionTermination: true,
    // Tools and resources do not change, and a subscription would hold a connection open without limit.
    allowSubscriptions: false,
    registrations: Layer.mergeAll(registrationsOf(settings, options.registrations), visibilityByRights),
  })
  return HttpRouter.toWebHandler(
    server.pipe(Layer.provide(servicesOf(options)), Layer.provide(HttpServer.layerServices)),
    { disableLogger: true },
  )
}
