/**
 * The tools over streamable HTTP.
 *
 * @module
 */
import * as McpServer from "effect/ai/McpServer"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { Hono } from "hono/tiny"
import { keepOpen } from "../http/keepOpen.ts"
import type { Shell } from "../shell/Shell.ts"
import { authenticate, checkNames, Denied, type McpAccess, type McpNames } from "./McpAccess.ts"
import { identityOf, type McpIdentity, protocols } from "./McpIdentity.ts"
import { type McpSettings, settingsOf } from "./McpSettings.ts"
import { readBody } from "./readBody.ts"
import { registrationsOf } from "./registrations.ts"
import { Sessions } from "./Sessions.ts"
import { whenSent } from "./whenSent.ts"

/** Where the commands run. With a `Journal` beside the `Shell`, its commands are resources. */
export type McpSource =
  | {
    /** Built at the first request, once; released by `dispose`. A build that failed is tried again. */
    readonly layer: Layer.Layer<Shell, unknown>
    readonly context?: never
  }
  | {
    /** Services of the caller's, as `Effect.context<Shell>()` gives them within a program. */
    readonly context: Context.Context<Shell>
    readonly layer?: never
  }

/** Bounds of what clients may cost. */
export interface McpLimits {
  /** Longest message that is read. Default: 4 MiB. */
  readonly maxBodyBytes?: number | undefined
  /**
   * Sessions at once: for one more, the one that was idle longest is ended, and the answer is 503 while all are in use.
   * Default: 1,000.
   */
  readonly maxSessions?: number | undefined
  /** How long a session may be idle before it is ended. Default: 1 hour. */
  readonly sessionIdle?: Duration.Input | undefined
}

/** Where commands run, for whom, and what they may cost. */
export type McpRoutesOptions = McpSource & McpAccess & McpNames & McpLimits & McpSettings & McpIdentity

/** A Hono app with the route, and the way to end it. */
export interface McpRoutes extends Hono {
  /** Ends all commands of the route, waits for their ends, and releases the layer. Later requests get 503. */
  readonly dispose: () => Promise<void>
  /** The same, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const SESSION = "mcp-session-id"

/** An answer to a request that Effect's server is not asked about; a JSON-RPC error of nobody's request. */
const refusal = ({ headers, message, status }: Denied): Response =>
  new Response(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message: `mcp: ${message}` } }), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  })

const unavailable = (why: string): Denied => new Denied(503, why, { "retry-after": "1" })

type WebHandler = ReturnType<typeof makeHandler>

const makeHandler = (options: McpRoutesOptions, signal: AbortSignal) => {
  const services = options.layer ?? Layer.succeedContext(options.context)
  const server = McpServer.layerHttp({
    ...identityOf(options),
    path: "*",
    protocols,
    allowSessionTermination: true,
    // Nothing here changes by itself; and a subscription would hold a connection for as long as its client likes.
    allowSubscriptions: false,
    registrations: registrationsOf({ ...options, signal }),
  })
  return HttpRouter.toWebHandler(
    server.pipe(Layer.provide(services), Layer.provide(HttpServer.layerServices)),
    { disableLogger: true },
  )
}

const now = (): number => Effect.runSync(Clock.currentTimeMillis)

/**
 * A route that gives the tools to whoever has the token, over the streamable HTTP of the Model Context Protocol:
 * `POST /mcp`, and `DELETE /mcp` to end a session. All revisions since 2024-11-05 are spoken.
 *
 * A request that loses its connection ends its command. One that sends a `progressToken` is answered as an event stream
 * with the output as it comes; a client that reads it slowly holds the command back.
 *
 * Requests for hosts and from origins that are not allowed are answered 403, so that no web page can use a server on its
 * reader's machine (DNS rebinding); without the token, 401. There is no stream of messages that nobody asked for: `GET`
 * is answered 405, and what was missed cannot be sent again.
 *
 * Serves unchanged under `Deno.serve`, `Bun.serve` and anything else that takes a fetch handler; under Bun pass
 * `app.fetch` itself, so that a silent command does not run into its idle timeout. Mount it at any path of another app.
 * Whoever makes it ends it: `dispose()`.
 *
 * @throws TypeError when the token is missing, empty, or cannot be sent in a header.
 * @throws RangeError when `defaultTimeout` is no time that can run out, or `maxOutputBytes` is below 0.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { mcpRoutes } from "@sluice/shell/mcp"
 * import { Hono } from "hono"
 *
 * await using mcp = mcpRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const app = new Hono().route("/", mcp)             // Deno.serve(app.fetch), Bun.serve({ fetch: app.fetch }), …
 *
 * const response = await app.request("http://localhost/mcp", {
 *   method: "POST",
 *   headers: {
 *     "authorization": "Bearer s3cret",
 *     "content-type": "application/json",
 *     "accept": "application/json, text/event-stream",
 *   },
 *   body: JSON.stringify({
 *     jsonrpc: "2.0",
 *     id: 1,
 *     method: "initialize",
 *     params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "me", version: "1" } },
 *   }),
 * })
 * console.assert(response.status === 200 && response.headers.has("mcp-session-id"))
 * ```
 */
export const mcpRoutes = (options: McpRoutesOptions): McpRoutes => {
  // What cannot be meant is told now, not when the first request comes.
  settingsOf(options)
  const whoIs = authenticate(options)
  const nameProblem = checkNames(options)
  const maxBodyBytes = options.maxBodyBytes ?? 4 * 1024 * 1024
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal])
  let web: WebHandler | undefined

  const sessions = new Sessions({
    max: options.maxSessions ?? 1000,
    idleMillis: Duration.toMillis(Duration.fromInputUnsafe(options.sessionIdle ?? "1 hour")),
    now,
    end: (id) => {
      web?.handler(new Request("http://localhost/", { method: "DELETE", headers: { [SESSION]: id } })).catch(() => {})
    },
  })

  const forward = async (request: Request, body: Uint8Array<ArrayBuffer>): Promise<Response> => {
    // It may have been disposed of while the message was read.
    if (stop.signal.aborted) return refusal(unavailable("no commands are run at the moment"))
    const current = web ??= makeHandler(options, signal)
    const { method } = request
    const headers = new Headers(request.headers)
    // Looked at here, where the host is known.
    headers.delete("origin")
    const init = { method, headers, signal: request.signal }
    const message = new Request("http://localhost/", method === "POST" ? { ...init, body } : init)
    try {
      return await current.handler(message)
    } catch (error) {
      if (web === current) web = undefined
      await current.dispose()
      if (!stop.signal.aborted) Effect.runSync(Effect.logError("the layer of the shell could not be built", error))
      return refusal(unavailable("no commands are run at the moment"))
    }
  }

  const answer = async (request: Request, env: unknown): Promise<Response> => {
    if (stop.signal.aborted) return refusal(unavailable("no commands are run at the moment"))
    const misnamed = nameProblem(request)
    if (misnamed !== undefined) return refusal(misnamed)
    const who = await whoIs(request.headers)
    if (who instanceof Denied) return refusal(who)
    const id = request.headers.get(SESSION)
    const used = id === null ? () => {} : sessions.use(id, who)
    if (used === undefined) return refusal(new Denied(404, "there is no such session; begin a new one"))
    // Also when nobody takes the answer.
    request.signal.addEventListener("abort", used, { once: true })
    try {
      const body = await readBody(request, maxBodyBytes).catch(() => "broken" as const)
      if (body === "broken") return whenSent(refusal(new Denied(400, "the message could not be read to its end")), used)
      if (body === undefined) return whenSent(refusal(new Denied(413, `at most ${maxBodyBytes} bytes are read`)), used)
      const close = keepOpen(request, env)
      const response = await forward(request, body)
      if (id !== null && request.method === "DELETE" && response.ok) sessions.forget(id)
      const begun = response.headers.get(SESSION)
      if (id === null && begun !== null && !sessions.begin(begun, who)) {
        return refusal(unavailable("all sessions are in use"))
      }
      return whenSent(response, () => {
        close()
        used()
      })
    } catch (error) {
      used()
      throw error
    }
  }

  const routes = new Hono()
  routes.all("/mcp", (c) => answer(c.req.raw, c.env))
  let disposing: Promise<void> | undefined
  const dispose = (): Promise<void> => {
    stop.abort()
    return disposing ??= web?.dispose() ?? Promise.resolve()
  }
  return Object.assign(routes, { dispose, [Symbol.asyncDispose]: dispose })
}
