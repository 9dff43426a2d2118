/** Makes the Hono app of the MCP route. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Hono } from "hono/tiny"
import { logContext, logWith } from "../base/stderrLogs.ts"
import type { DurationInput } from "../base/duration.ts"
import { wallClockMillis } from "../base/wallClockMillis.ts"
import { InFlightCounter } from "../server/InFlightCounter.ts"
import { disableIdleTimeout } from "../server/disableIdleTimeout.ts"
import { readBody } from "../server/readBody.ts"
import { makeAuthenticator } from "../auth/Authenticator.ts"
import { batchText, isLargeBatch } from "./batches.ts"
import { McpRejection } from "./McpRejection.ts"
import { makeHostCheck } from "./McpHosts.ts"
import { mcpLimits, type McpRoutes, type McpRoutesOptions } from "./McpRoutesOptions.ts"
import { toolSettings } from "./McpToolOptions.ts"
import { Sessions } from "./Sessions.ts"
import { CurrentCaller, type McpCaller } from "./McpCaller.ts"
import { authenticateCaller, SESSION } from "./authenticateCaller.ts"
import { makeWebServer, type WebServer } from "./webServer.ts"

/** Calls `done` when the body ends, fails or is cancelled; at once without a body. */
const onBodyEnd = (response: Response, done: () => void): Response => {
  if (response.body === null) {
    done()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const next = await reader.read()
        if (!next.done) return controller.enqueue(next.value)
        done()
        controller.close()
      } catch (error) {
        done()
        controller.error(error)
      }
    },
    cancel: async (reason) => {
      done()
      await reader.cancel(reason)
    },
  }, { highWaterMark: 0 })
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
}

/** Maximum size of a message that starts a session: Effect's server keeps its content as long as the session. */
const maxBeginBytes = 65_536

/** Time for clients to read the answers of commands that were ended. */
const answerTimeout = "10 seconds"

/**
 * Makes a route with the tools for clients with a token, over the streamable HTTP of the Model Context Protocol:
 * `POST /mcp`, and `DELETE /mcp` to end a session. Supports all protocol revisions since 2024-11-05.
 *
 * A request that loses its connection cancels its command. A request with a `progressToken` is answered as an event
 * stream with the output as it comes; a client that reads slowly holds the command back.
 *
 * A token without `run` sees no tools, one without `read` no resources. An exceeded rate or concurrency limit is 429 with
 * `Retry-After` before a session exists, then an answer of the tool (`isError`, `reason: Throttled`), and a JSON-RPC error
 * for all other requests.
 *
 * With the option `server`, the route shares the shell, the journal and the tokens of `shellRoutes`.
 *
 * Requests for other hosts are answered 404 and those from other origins 403, so that no web page can use a server on
 * its reader's machine (DNS rebinding); without a token, 401. There is no stream of unsolicited messages: `GET` is
 * answered 405, and missed messages cannot be resent.
 *
 * Mount it at any path of another app, and call `dispose()` at the end. Under Bun pass `app.fetch` itself.
 *
 * @throws {OptionError} for an unknown option, an invalid token, time or limit, and two equal tokens.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { mcpRoutes } from "@sluice/shell/mcp/http"
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
 * console.log(response.status === 200 && response.headers.has("mcp-session-id")) // true
 * ```
 */
export const mcpRoutes = <R = never>(options: McpRoutesOptions<R>): McpRoutes => {
  // Invalid options are errors now, not at the first request.
  const { sessionIdleMillis, maxBodyBytes, maxSessions } = mcpLimits(options)
  const settings = toolSettings(options)
  const hosts = makeHostCheck(options)
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal])
  const inFlight = new InFlightCounter()
  let closing = false
  const checks = {
    hosts,
    authenticator: options.server === undefined
      ? makeAuthenticator(options)
      : options.server.sharedServices.authenticator,
    isClosing: () => closing,
  }
  let web: WebServer | undefined
  const working = new WeakSet<WebServer>()

  const sessionEnds = new Set<(session: string) => void>()
  const sessionEnded = (id: string): void => sessionEnds.forEach((listener) => listener(id))
  const onSessionEnd = (listener: (session: string) => void): () => void => {
    sessionEnds.add(listener)
    return () => sessionEnds.delete(listener)
  }
  const endSession = (id: string): void => {
    sessionEnded(id)
    web?.handler(new Request("http://localhost/", { method: "DELETE", headers: { [SESSION]: id } })).catch(() => {})
  }
  const sessions = new Sessions({ max: maxSessions, sessionIdleMillis, now: wallClockMillis, end: endSession })

  const forward = async (request: Request, body: Uint8Array<ArrayBuffer>, caller: McpCaller): Promise<Response> => {
    // The route may have been disposed of while the message was read.
    if (stop.signal.aborted) return McpRejection.unavailable.response()
    const current = web ??= makeWebServer(options, { ...settings, signal, onSessionEnd })
    const { method } = request
    const headers = new Headers(request.headers)
    // Checked already: Effect's server does not see the host.
    headers.delete("origin")
    const init = { method, headers, signal: request.signal }
    const message = new Request("http://localhost/", method === "POST" ? { ...init, body } : init)
    try {
      const response = await current.handler(message, Context.add(logContext, CurrentCaller, caller))
      working.add(current)
      return response
    } catch (error) {
      // A failing message must not end a working server for other clients.
      if (working.has(current)) throw error
      if (web === current) web = undefined
      await current.dispose()
      if (!stop.signal.aborted) {
        logWith(options.context, Effect.logError("the layer of the shell could not be built", error))
      }
      return McpRejection.unavailable.response()
    }
  }

  /** Reads a message, or rejects it. */
  const messageOf = async (request: Request): Promise<Uint8Array<ArrayBuffer> | McpRejection> => {
    // The rest of the body is not read: it would be parsed as the next request.
    const tooLarge = new McpRejection(413, `at most ${maxBodyBytes} bytes are read`, { connection: "close" })
    if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return tooLarge
    const body = await readBody(request.body, maxBodyBytes)
      .catch(() => new McpRejection(400, "the message is incomplete"))
    if (body === undefined) return tooLarge
    return body instanceof McpRejection || !isLargeBatch(body) ? body : new McpRejection(413, batchText)
  }

  /** Answers a message of a session, or one that may start a session. */
  const answerTo = async (request: Request, body: Uint8Array<ArrayBuffer>, caller: McpCaller): Promise<Response> => {
    const response = await forward(request, body, caller)
    const id = request.headers.get(SESSION)
    if (id !== null && request.method === "DELETE" && response.ok) {
      sessions.forget(id)
      sessionEnded(id)
    }
    const begun = id === null ? response.headers.get(SESSION) : null
    if (begun === null) return response
    if (body.length > maxBeginBytes) {
      endSession(begun)
      return new McpRejection(413, `a message that begins a session has at most ${maxBeginBytes} bytes`).response()
    }
    return sessions.begin(begun, caller.grant)
      ? response
      : McpRejection.retryAfter(503, "all sessions are in use", 1).response()
  }

  const answer = async (request: Request, env: unknown): Promise<Response> => {
    const preflight = hosts.preflight(request)
    if (preflight !== undefined) return preflight
    if (stop.signal.aborted) return McpRejection.unavailable.response()
    const caller = authenticateCaller(request, checks)
    if (caller instanceof McpRejection) return caller.response()
    const id = request.headers.get(SESSION)
    const used = id === null ? () => {} : sessions.use(id, caller.grant)
    if (used === undefined) return new McpRejection(404, "unknown session: start a new one").response()
    const ends = [used]
    const done = (): void => ends.splice(0).forEach((end) => end())
    // Also if the client never reads the response.
    request.signal.addEventListener("abort", done, { once: true })
    try {
      const body = await messageOf(request)
      if (body instanceof McpRejection) return onBodyEnd(body.response(), done)
      const answered = inFlight.begin()
      ends.push(answered, disableIdleTimeout(request, env))
      // The client disconnected while the message was read.
      if (request.signal.aborted) done()
      const response = await answerTo(request, body, caller)
      // A complete response needs nothing from this route any more.
      if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) answered()
      return onBodyEnd(response, done)
    } catch (error) {
      done()
      logWith(web?.services() ?? options.context, Effect.logError("a message broke", error))
      return new McpRejection(500, "internal error").response()
    }
  }

  const routes = new Hono()
  routes.all("/mcp", async (c) => {
    const request = c.req.raw
    const answered = await answer(request, c.env)
    const response = new Response(answered.body, answered)
    for (const [name, value] of hosts.headers(request)) response.headers.append(name, value)
    options.server?.sharedServices.countRequest(request.method, "/mcp", response.status)
    return response
  })

  const end = async (drain: DurationInput): Promise<void> => {
    closing = true
    await inFlight.waitForNone(drain)
    stop.abort()
    await inFlight.waitForNone(answerTimeout)
    await web?.dispose()
  }
  let ending: Promise<void> | undefined
  const dispose: McpRoutes["dispose"] = ({ drain = 0 } = {}) => ending ??= end(drain)
  return Object.assign(routes, { dispose, [Symbol.asyncDispose]: () => dispose() })
}
