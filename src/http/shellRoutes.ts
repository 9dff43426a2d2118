/**
 * The routes that run commands, and tell of them.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Hono } from "hono/tiny"
import { durationOf, millisOf } from "../base/duration.ts"
import { ConcurrencyLimit } from "../auth/ConcurrencyLimit.ts"
import { makeAuthenticator } from "../auth/Authenticator.ts"
import { makeRunResponder } from "./runResponder.ts"
import { wireVersionHeader } from "../wire/Wire.ts"
import { sharedLayer } from "./sharedLayer.ts"
import { followCancelRequests } from "./cancelRoute.ts"
import { commandHandlers } from "./commandHandlers.ts"
import { type Cors, type CorsHeaderNames, makeCors } from "../server/Server.ts"
import { makeRequestGuard } from "./requestGuard.ts"
import { execHandler } from "./execHandler.ts"
import { makeJournalResponder } from "./journalResponder.ts"
import { responseHeaders, rightsHeader } from "./headers.ts"
import { RequestCounters } from "./httpMetrics.ts"
import { JSON_TYPE } from "./negotiate.ts"
import { openApiText } from "./openapi.ts"
import type { ShellRoutes, ShellRoutesOptions } from "./ShellRoutesOptions.ts"
import { problemResponse, refuse } from "./problem.ts"
import { PROMETHEUS_TYPE, prometheusText } from "./prometheus.ts"
import { endAllLost } from "./endLostCommands.ts"
import { makeRunSupervisor } from "./RunSupervisor.ts"

/**
 * Routes that run commands for whoever has the token:
 * `POST /exec`, with a `ShellExec` as JSON (only `command` is needed), answers by `Accept`
 *
 * - `application/json`, the default: one `ShellOutput` with the whole output, when the command has ended;
 * - `application/x-ndjson`: the events as they come, one a line;
 * - `text/event-stream`: the same as server-sent events; `id` is the `seq`;
 * - `application/vnd.sluice.frames`: the same with the text as bytes, for programs that read much output.
 *
 * `?window=lines:50` (or `window` in the body; see `Window.parsePolicy`) turns the chunks of a streamed answer into
 * windows. An exit code is never an error: 200 says that the command ran.
 *
 * A command lives as long as somebody waits for its answer: a client that goes away cancels it, and one that reads
 * slowly holds it back, since nothing is read from it before the connection takes it. With `detached: true` it runs on by
 * itself; with `disconnectGraceMillis` it waits for a client that lost its connection.
 *
 * Every command stands in the journal, and others may look: `GET /commands`, `GET /commands/:id`, and
 * `GET /commands/:id/events`, which resumes by `Last-Event-ID` with nothing missed and nothing twice. A command is fed by
 * `POST /commands/:id/input` and ended by `DELETE /commands/:id`. The same `commandId` runs once. `GET /health`,
 * `GET /metrics` and `GET /openapi.json` are for machines. architecture/server.md is the whole protocol.
 *
 * What goes wrong before the first event is `application/problem+json` ({@link ProblemDetails}): 400 a body that is no
 * command, or `InvalidRequest`; 401; 403 `PermissionDenied`, `NotAllowed`; 404 `NotFound`; 405; 406; 408 `Timeout`;
 * 413; 415; 429 `Throttled` and 503 `ResourceExhausted`, both with `Retry-After`; 499 `Cancelled`; 500 `JournalFailed`,
 * `Unknown`; 502 `HostLost`. It holds the encoded fault, partial output included. After the first event, and in every
 * stream with `disconnectGraceMillis`, which is answered as soon as the command is in the journal, a fault is the last event.
 *
 * Serves unchanged under `Deno.serve`, `Bun.serve` and anything else that takes a fetch handler; under Bun pass
 * `app.fetch` itself, so that a silent command does not run into its idle timeout. Mount it at any path of another
 * app. Whoever makes it ends it: `dispose()`.
 *
 * @throws TypeError when the token is missing, empty, or cannot be sent in a header.
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
 * console.assert(response.status === 200 && output.stdout === "hello\n" && output.exitCode === 0)
 * ```
 */
export const shellRoutes = (options: ShellRoutesOptions): ShellRoutes => {
  const {
    bodyTimeout = "30 seconds",
    keepAlive = "15 seconds",
    maxAhead = 1024 * 1024,
    maxBodyBytes = 1024 * 1024,
    maxOutputBytes,
  } = options
  const retryAfterSeconds = Math.ceil(Duration.toSeconds(durationOf("retryAfter", options.retryAfter ?? 1000)))
  const cors = makeCors(options.cors, corsHeaderNames)
  const authenticator = makeAuthenticator(options)
  const counts = new RequestCounters(() => runs.context())
  const door = makeRequestGuard({
    authenticator,
    cors,
    counts,
    maxHeaderBytes: options.maxHeaderBytes ?? 16_384,
  })
  const concurrency = new ConcurrencyLimit(options.maxConcurrent ?? Infinity)
  const runs = makeRunSupervisor(options, (services) =>
    // A journal in memory has nothing of others.
    options.journal === undefined ? Effect.void : Effect.catch(
      Effect.andThen(endAllLost(services), followCancelRequests(runs, services)),
      (error) => Effect.logError(`the journal cannot be followed: ${error.message}`),
    ).pipe(Effect.andThen(Effect.sleep(followRetryDelay)), Effect.forever))
  const tell = makeJournalResponder(runs, { keepAlive, maxOutputBytes, retryAfterSeconds })
  const answer = makeRunResponder(runs, {
    maxAhead,
    maxOutputBytes,
    redactor: options.redactor,
    retryAfterSeconds,
    respondFromJournal: tell,
  })

  const exec = execHandler(runs, {
    concurrency,
    bounds: { maxBodyBytes, bodyTimeoutMillis: millisOf("bodyTimeout", bodyTimeout) },
    retryAfterSeconds,
    respond: answer,
  })
  const commands = commandHandlers(runs, { keepAlive, retryAfterSeconds, respondFromJournal: tell })
  const routes = new Hono()
  routes.post("/exec", door.authenticated("/exec", "run", exec))
  routes.get("/commands", door.authenticated("/commands", "read", commands.list))
  routes.get("/commands/events", door.authenticated("/commands/events", "read", commands.changes))
  routes.get("/commands/:id", door.authenticated("/commands/:id", "read", commands.info))
  routes.delete("/commands/:id", door.authenticated("/commands/:id", "cancel", commands.cancel))
  routes.get("/commands/:id/events", door.authenticated("/commands/:id/events", "read", commands.events))
  routes.post("/commands/:id/input", door.authenticated("/commands/:id/input", "run", commands.input))
  routes.get(
    "/metrics",
    door.authenticated("/metrics", "read", async () => {
      await runs.services().catch(() => {})
      const context = runs.context() ?? Context.empty()
      counts.flush(context)
      return new Response(prometheusText(context), { headers: { ...responseHeaders, "content-type": PROMETHEUS_TYPE } })
    }),
  )
  routes.get(
    "/health",
    door.unauthenticated(
      "/health",
      () =>
        new Response(JSON.stringify({ status: runs.isClosing() ? "draining" : "ok" }), {
          status: runs.isClosing() ? 503 : 200,
          headers: { ...responseHeaders, "content-type": JSON_TYPE },
        }),
    ),
  )
  routes.get(
    "/openapi.json",
    door.unauthenticated(
      "/openapi.json",
      () => new Response(openApiText(), { headers: { ...responseHeaders, "content-type": JSON_TYPE } }),
    ),
  )
  for (const [path, methods] of allowedMethods) {
    routes.all(
      path,
      door.unauthenticated(
        path,
        (c) =>
          (c.req.method === "OPTIONS" ? preflightResponse(cors, c.req.header("origin"), methods) : undefined) ??
            problemResponse(refuse(405, "method-not-allowed", `use ${methods}`, { headers: { allow: methods } })),
      ),
    )
  }
  const dispose = runs.dispose
  const start = async (): Promise<void> => void await runs.services()
  const sharedServices = {
    layer: sharedLayer(runs, { concurrency, redactor: options.redactor }),
    authenticator,
    countRequest: (method: string, route: string, status: number) => counts.count(method, route, status),
  }
  return Object.assign(routes, { sharedServices, start, dispose, [Symbol.asyncDispose]: () => dispose() })
}

const corsHeaderNames: CorsHeaderNames = {
  allowed: ["authorization", "content-type", "last-event-id", wireVersionHeader, "x-request-id"],
  exposed: ["location", "retry-after", "sluice-replayed", rightsHeader, wireVersionHeader, "x-request-id"],
}

/** The response to a preflight request; `undefined` if the page may not send the request. */
const preflightResponse = (cors: Cors, origin: string | undefined, methods: string): Response | undefined => {
  const headers = cors.preflight(origin, methods)
  return headers && new Response(null, { status: 204, headers: { ...responseHeaders, ...headers } })
}

/** Time until a journal that could not be followed is tried again. */
const followRetryDelay = "5 seconds"

const allowedMethods: ReadonlyArray<readonly [path: string, methods: string]> = [
  ["/exec", "POST"],
  ["/commands", "GET"],
  ["/commands/events", "GET"],
  ["/commands/:id", "GET, DELETE"],
  ["/commands/:id/events", "GET"],
  ["/commands/:id/input", "POST"],
  ["/metrics", "GET"],
  ["/health", "GET"],
  ["/openapi.json", "GET"],
]
