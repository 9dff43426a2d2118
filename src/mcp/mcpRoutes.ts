/**
 * Makes the Hono app of `mcpRoutes`: authentication, sessions and draining around Effect's MCP server.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Hono } from "hono/tiny"
import type { DurationInput } from "../base/duration.ts"
import { disableIdleTimeout, readBody } from "../server/Server.ts"
import { makeAuthenticator } from "../auth/Authenticator.ts"
import { batchText, isLargeBatch } from "./batches.ts"
import { McpRejection } from "./McpRejection.ts"
import { InFlightCounter } from "./InFlightCounter.ts"
import { makeHostCheck } from "./McpHosts.ts"
import { limitsOf, type McpRoutes, type McpRoutesOptions } from "./McpRoutesOptions.ts"
import { settingsOf } from "./McpSettings.ts"
import { Sessions } from "./Sessions.ts"
import { CurrentCaller, type McpCaller } from "./McpCaller.ts"
import { authenticateCaller, SESSION } from "./authenticateCaller.ts"
import { makeWebServer, type WebServer } from "./webServer.ts"
import { onBodyEnd } from "./onBodyEnd.ts"

/** Longest message that begins a session: what it says is kept as long as the session. */
const maxBeginBytes = 65_536

/** Time that the answers of commands that were ended have to be taken. */
const answerTimeout = "10 seconds"

const now = (): number => Effect.runSync(Clock.currentTimeMillis)

/**
 * A route that gives the tools to anyone with the token, over the streamable HTTP of the Model Context Protocol:
 * `POST /mcp`, and `DELETE /mcp` to end a session. All revisions since 2024-11-05 are spoken.
 *
 * A request that loses its connection ends its command. One that sends a `progressToken` is answered as an event stream
 * with the output as it comes; a client that reads it slowly holds the command back.
 *
 * A token without `run` is shown no tools, one without `read` no resources: to it they are not there. As many requests as
 * it may make in a time, or commands at once, are more: before there is a session that is 429 with `Retry-After`, then
 * the answer of the tool says so (`isError`, `reason: Throttled`), and a JSON-RPC error that of everything else.
 *
 * Mount it beside `shellRoutes` with `beside`: then both are one server.
 *
 * Requests for hosts that are not allowed are answered 404, those from other origins 403, so that no web page can use a server on its
 * reader's machine (DNS rebinding); without the token, 401. There is no stream of messages that nobody asked for: `GET`
 * is answered 405, and what was missed cannot be sent again.
 *
 * Serves unchanged under `Deno.serve`, `Bun.serve` and anything else that takes a fetch handler; under Bun pass
 * `app.fetch` itself, so that a silent command does not run into its idle timeout. Mount it at any path of another app.
 * Whoever makes it ends it: `dispose()`.
 *
 * @throws TypeError when a token is missing, empty, or cannot be sent in a header, and when two are the same.
 * @throws RangeError when `defaultTimeout` is no time that can run out, `maxOutputBytes` is below 0, or a limit below 1.
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
 * console.assert(response.status === 200 && response.headers.has("mcp-session-id"))
 * ```
 */
export const mcpRoutes = (options: McpRoutesOptions): McpRoutes => {
  // What cannot be meant is told now, not when the first request comes.
  settingsOf(options)
  const { idleMillis, maxBodyBytes, maxSessions } = limitsOf(options)
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
    now,
  }
  let web: WebServer | undefined
  const works = new WeakSet<WebServer>()

  const endSession = (id: string): void => {
    web?.handler(new Request("http://localhost/", { method: "DELETE", headers: { [SESSION]: id } })).catch(() => {})
  }
  const sessions = new Sessions({ max: maxSessions, idleMillis, now, end: endSession })

  const forward = async (request: Request, body: Uint8Array<ArrayBuffer>, visit: McpCaller): Promise<Response> => {
    // It may have been disposed of while the message was read.
    if (stop.signal.aborted) return McpRejection.unavailable.response()
    const current = web ??= makeWebServer(options, signal)
    const { method } = request
    const headers = new Headers(request.headers)
    // Looked at here, where the host is known.
    headers.delete("origin")
    const init = { method, headers, signal: request.signal }
    const message = new Request("http://localhost/", method === "POST" ? { ...init, body } : init)
    try {
      const response = await current.handler(message, Context.make(CurrentCaller, visit))
      works.add(current)
      return response
    } catch (error) {
      // What one message does to a server that works must not end it for the others.
      if (works.has(current)) throw error
      if (web === current) web = undefined
      await current.dispose()
      if (!stop.signal.aborted) Effect.runSync(Effect.logError("the layer of the shell could not be built", error))
      return McpRejection.unavailable.response()
    }
  }

  /** A message that is read, or why it is none. */
  const messageOf = async (request: Request): Promise<Uint8Array<ArrayBuffer> | McpRejection> => {
    const tooLarge = new McpRejection(413, `at most ${maxBodyBytes} bytes are read`)
    if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return tooLarge
    const body = await readBody(request.body, maxBodyBytes)
      .catch(() => new McpRejection(400, "the message breaks off"))
    if (body === undefined) return tooLarge
    return body instanceof McpRejection || !isLargeBatch(body) ? body : new McpRejection(413, batchText)
  }

  /** The answer to a message of a session, or to one that may begin one. */
  const answerTo = async (request: Request, body: Uint8Array<ArrayBuffer>, visit: McpCaller): Promise<Response> => {
    const response = await forward(request, body, visit)
    const id = request.headers.get(SESSION)
    if (id !== null && request.method === "DELETE" && response.ok) sessions.forget(id)
    const begun = id === null ? response.headers.get(SESSION) : null
    if (begun === null) return response
    if (body.length > maxBeginBytes) {
      endSession(begun)
      return new McpRejection(413, `a message that begins a session has at most ${maxBeginBytes} bytes`).response()
    }
    return sessions.begin(begun, visit.grant)
      ? response
      : McpRejection.retryAfter(503, "all sessions are in use", 1).response()
  }

  const answer = async (request: Request, env: unknown): Promise<Response> => {
    const asked = hosts.preflight(request)
    if (asked !== undefined) return asked
    if (stop.signal.aborted) return McpRejection.unavailable.response()
    const visit = authenticateCaller(request, checks)
    if (visit instanceof McpRejection) return visit.response()
    const id = request.headers.get(SESSION)
    const used = id === null ? () => {} : sessions.use(id, visit.grant)
    if (used === undefined) return new McpRejection(404, "there is no such session; begin a new one").response()
    const ends = [used]
    const done = (): void => ends.splice(0).forEach((end) => end())
    // Also when nobody takes the answer.
    request.signal.addEventListener("abort", done, { once: true })
    try {
      const body = await messageOf(request)
      if (body instanceof McpRejection) return onBodyEnd(body.response(), done)
      const answered = inFlight.begin()
      ends.push(answered, disableIdleTimeout(request, env))
      // Gone while the message was read.
      if (request.signal.aborted) done()
      const response = await answerTo(request, body, visit)
      // One that is whole needs nothing here any more, whoever reads it, or does not.
      if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) answered()
      return onBodyEnd(response, done)
    } catch (error) {
      done()
      Effect.runSync(Effect.logError("a message broke", error))
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
