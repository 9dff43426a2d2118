/** Makes the Hono app of `shellRoutes`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { SharedTimeout } from "./SharedTimeout.ts"
import { ConcurrencyLimit } from "../auth/ConcurrencyLimit.ts"
import { makeAuthenticator } from "../auth/Authenticator.ts"
import { makeRunResponder } from "./makeRunResponder.ts"
import { wireVersionHeader } from "../wire/mod.ts"
import { sharedLayer } from "./sharedLayer.ts"
import { followCancelRequests } from "./cancelRoute.ts"
import { commandHandlers } from "./commandHandlers.ts"
import { makeCommandLookup } from "./commandLookup.ts"
import { type CorsHeaderNames, makeCors } from "../server/makeCors.ts"
import { makeRequestGuard } from "./requestGuard.ts"
import { execHandler } from "./execHandler.ts"
import { followAgain, followUnended } from "./followUnended.ts"
import { makeJournalResponder } from "./journalResponder.ts"
import { jsonResponse, responseHeaders, rightsHeader } from "./headers.ts"
import { RequestCounters } from "./RequestCounters.ts"
import { makeOpenApi } from "./openapi.ts"
import { type ShellRoutes, type ShellRoutesOptions, shellRoutesSettings } from "./ShellRoutesOptions.ts"
import { prometheusText, prometheusType } from "./prometheus.ts"
import { endLostCommands } from "./endLostCommands.ts"
import { makeRunSupervisor } from "./RunSupervisor.ts"
import type { ShellServer } from "./ShellServer.ts"
import { terminalHandlers } from "./terminals/terminalHandlers.ts"

const corsHeaderNames: CorsHeaderNames = {
  allowed: ["authorization", "content-type", "last-event-id", wireVersionHeader, "x-request-id"],
  exposed: ["location", "retry-after", "sluice-replayed", rightsHeader, wireVersionHeader, "x-request-id"],
}

/**
 * Makes the routes that run commands for clients with a token. `POST /exec`, with a `ShellExec` as JSON (only `command` is
 * required), responds by `Accept`:
 *
 * - `application/json`, the default: one `ShellOutput` with the whole output, when the command has ended;
 * - `application/x-ndjson`: the events as they occur, one per line;
 * - `text/event-stream`: the events as server-sent events; `id` is the `seq`;
 * - `application/vnd.sluice.frames`: the events with the text as bytes, for programs that read much output.
 *
 * `?window=lines:50` (or `window` in the body; see `Window.parsePolicy`) turns the chunks of a streamed response into
 * windows. An exit code is never an error: 200 means that the command ran.
 *
 * A command ends with its request: a client that disconnects cancels it, and a client that reads slowly holds it back.
 * With `detached: true` the command continues on its own; with `disconnectGraceMillis` it waits for a client that lost
 * its connection.
 *
 * Every command is journaled, and other clients can read it: `GET /commands`, `GET /commands/:id`, and
 * `GET /commands/:id/events`, which resumes by `Last-Event-ID` without gaps or duplicates. `POST /commands/:id/input` feeds
 * a command, `DELETE /commands/:id` cancels it. The same `commandId` runs once. `GET /health`, `GET /metrics` and
 * `GET /openapi.json` are for monitoring. architecture/server.md describes the whole protocol.
 *
 * Failures before the first event are `application/problem+json` ({@link ProblemDetails}) with the encoded fault and the
 * partial output. After the first event, and in every stream with `disconnectGraceMillis`, a fault is the last event.
 *
 * Works under every server that takes a fetch handler. Under Bun pass `app.fetch` itself: then the idle timeout of a silent
 * command is disabled. Mount it at any path of another app, and call `dispose()` at the end.
 *
 * @throws {OptionError} for an unknown option, an invalid token, time or limit, and two equal tokens.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 * import { Hono } from "hono"
 *
 * await using shell = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const app = new Hono().route("/shell", shell)      // Deno.serve(app.fetch), Bun.serve({ fetch: app.fetch }), …
 *
 * const response = await app.request("/shell/exec", {
 *   method: "POST",
 *   headers: { "authorization": "Bearer s3cret", "content-type": "application/json" },
 *   body: JSON.stringify({ command: "echo", arguments: ["hello"] })
 * })
 * const output = await response.json()
 * console.log([response.status, output.stdout, output.exitCode]) // [ 200, 'hello\n', 0 ]
 * ```
 *
 * @stability stable
 */
export const shellRoutes = (options: ShellRoutesOptions): ShellRoutes => {
  const settings = shellRoutesSettings(options)
  const cors = makeCors(options.cors, corsHeaderNames)
  const authenticator = makeAuthenticator(options)
  const openApi = makeOpenApi()
  const runs = makeRunSupervisor(options, (services) =>
    // A journal in memory has no commands of other hosts: its index starts at the first list of running commands.
    options.journal === undefined ? Effect.void : followAgain(
      Effect.suspend(() =>
        Effect.all([endLostCommands(services, unendedOf(services.journal)), followCancelRequests(runs, services)], {
          concurrency: 2,
          discard: true,
        })
      ),
    ))
  const unendedOf = followUnended(runs)
  const counts = new RequestCounters(() => runs.context())
  const guard = makeRequestGuard({
    authenticator,
    cors,
    counts,
    maxHeaderBytes: settings.maxHeaderBytes,
    services: runs.context,
  })
  const server: ShellServer = {
    ...settings,
    runs,
    unendedOf,
    cors,
    redactor: options.redactor,
    upgradeWebSocket: options.upgradeWebSocket,
    concurrency: new ConcurrencyLimit(settings.maxConcurrency),
    bounds: { maxBodyBytes: settings.maxBodyBytes, bodyTimeout: new SharedTimeout(settings.bodyTimeoutMillis) },
    lookup: makeCommandLookup(runs, settings.retryAfterSeconds),
  }
  const respondFromJournal = makeJournalResponder(server)
  const exec = execHandler(server, makeRunResponder(server, respondFromJournal))
  const commands = commandHandlers(server, respondFromJournal)
  const terminals = terminalHandlers(server)

  const { authenticated, unauthenticated } = guard
  const routes = guard.routes({
    "/exec": { POST: authenticated("run", exec) },
    "/commands": { GET: authenticated("read", commands.list) },
    "/commands/events": { GET: authenticated("read", commands.changes) },
    "/commands/:id": { GET: authenticated("read", commands.info), DELETE: authenticated("cancel", commands.cancel) },
    "/commands/:id/events": { GET: authenticated("read", commands.events) },
    "/commands/:id/input": { POST: authenticated("run", commands.input) },
    "/commands/:id/terminal": {
      POST: authenticated("read", terminals.ticket),
      // Not behind the guard, because the runtime makes the response of an upgrade, and the ticket replaces the token.
      GET: (route) => async (c) => {
        const response = await terminals.open(c)
        counts.count("GET", route, response.status)
        return response
      },
    },
    "/commands/:id/resize": { POST: authenticated("run", terminals.resize) },
    "/commands/:id/signal": { POST: authenticated("cancel", terminals.signal) },
    "/metrics": {
      GET: authenticated("read", async () => {
        await runs.services().catch(() => {})
        const context = runs.context() ?? Context.empty()
        counts.flush(context)
        return new Response(await prometheusText(context), {
          headers: { ...responseHeaders, "content-type": prometheusType },
        })
      }),
    },
    "/health": {
      GET: unauthenticated(() =>
        jsonResponse({ status: runs.isClosing() ? "draining" : "ok" }, { status: runs.isClosing() ? 503 : 200 })
      ),
    },
    "/openapi.json": { GET: unauthenticated(() => jsonResponse(openApi.text())) },
  })
  const dispose = runs.dispose
  const start = async (): Promise<void> => void await runs.services()
  const sharedServices = {
    layer: sharedLayer(server),
    journal: options.journal === undefined ? undefined : runs.journal,
    authenticator,
    describeRoutes: openApi.add,
    countRequest: (method: string, route: string, status: number) => counts.count(method, route, status),
  }
  return Object.assign(routes, { sharedServices, start, dispose, [Symbol.asyncDispose]: () => dispose() })
}
