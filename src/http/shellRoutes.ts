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
import { Places } from "../auth/ConcurrencyLimit.ts"
import { makeTokens } from "../auth/Authenticator.ts"
import { answerWith } from "./runResponder.ts"
import { besideLayer } from "./SharedServices.ts"
import { heedOthers } from "./cancelRoute.ts"
import { commandHandlers } from "./commandHandlers.ts"
import { preflight } from "./cors.ts"
import { makeDoor } from "./requestGuard.ts"
import { execHandler } from "./execHandler.ts"
import { tellWith } from "./journalResponder.ts"
import { answerHeaders } from "./headers.ts"
import { RequestCounts } from "./httpMetrics.ts"
import { JSON_TYPE } from "./negotiate.ts"
import { openApiText } from "./openapi.ts"
import type { ShellRoutes, ShellRoutesOptions } from "./ShellRoutesOptions.ts"
import { problemResponse, refuse } from "./problem.ts"
import { PROMETHEUS_TYPE, prometheusText } from "./prometheus.ts"
import { endAllLost } from "./endLostCommands.ts"
import { makeRuns } from "./RunSupervisor.ts"

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
    cors,
    keepAlive = "15 seconds",
    maxAhead = 1024 * 1024,
    maxBodyBytes = 1024 * 1024,
    maxOutputBytes,
  } = options
  const retryAfterSeconds = Math.ceil(Duration.toSeconds(durationOf("retryAfter", options.retryAfter ?? 1000)))
  const tokens = makeTokens(options)
  const counts = new RequestCounts(() => runs.context())
  const door = makeDoor({ tokens, cors, counts, maxHeaderBytes: options.maxHeaderBytes ?? 16_384 })
  const places = new Places(options.maxConcurrent ?? Infinity)
  const runs = makeRuns(options, (services) =>
    // A journal in memory has nothing of others.
    options.journal === undefined ? Effect.void : Effect.catch(
      Effect.andThen(endAllLost(services), heedOthers(runs, services)),
      (error) => Effect.logError(`the journal cannot be followed: ${error.message}`),
    ).pipe(Effect.andThen(Effect.sleep(followPause)), Effect.forever))
  const tell = tellWith(runs, { keepAlive, maxOutputBytes, retryAfterSeconds })
  const answer = answerWith(runs, { maxAhead, maxOutputBytes, redactor: options.redactor, retryAfterSeconds, tell })

  const exec = execHandler(runs, {
    places,
    bounds: { maxBodyBytes, bodyTimeoutMillis: millisOf("bodyTimeout", bodyTimeout) },
    retryAfterSeconds,
    answer,
  })
  const commands = commandHandlers(runs, { keepAlive, retryAfterSeconds, tell })
  const routes = new Hono()
  routes.post("/exec", door.guarded("/exec", "run", exec))
  routes.get("/commands", door.guarded("/commands", "read", commands.list))
  routes.get("/commands/events", door.guarded("/commands/events", "read", commands.changes))
  routes.get("/commands/:id", door.guarded("/commands/:id", "read", commands.info))
  routes.delete("/commands/:id", door.guarded("/commands/:id", "cancel", commands.cancel))
  routes.get("/commands/:id/events", door.guarded("/commands/:id/events", "read", commands.events))
  routes.post("/commands/:id/input", door.guarded("/commands/:id/input", "run", commands.input))
  routes.get(
    "/metrics",
    door.guarded("/metrics", "read", async () => {
      await runs.services().catch(() => {})
      const context = runs.context() ?? Context.empty()
      counts.settle(context)
      return new Response(prometheusText(context), { headers: { ...answerHeaders, "content-type": PROMETHEUS_TYPE } })
    }),
  )
  routes.get(
    "/health",
    door.open("/health", () =>
      new Response(JSON.stringify({ status: runs.closing() ? "draining" : "ok" }), {
        status: runs.closing() ? 503 : 200,
        headers: { ...answerHeaders, "content-type": JSON_TYPE },
      })),
  )
  routes.get(
    "/openapi.json",
    door.open(
      "/openapi.json",
      () => new Response(openApiText(), { headers: { ...answerHeaders, "content-type": JSON_TYPE } }),
    ),
  )
  for (const [path, methods] of allowedMethods) {
    routes.all(
      path,
      door.open(
        path,
        (c) =>
          (c.req.method === "OPTIONS" ? preflight(cors, c.req.header("origin"), methods) : undefined) ??
            problemResponse(refuse(405, "method-not-allowed", `use ${methods}`, { headers: { allow: methods } })),
      ),
    )
  }
  const dispose = runs.dispose
  const start = async (): Promise<void> => void await runs.services()
  const beside = {
    layer: besideLayer(runs, { places, redactor: options.redactor }),
    tokens,
    count: (method: string, route: string, status: number) => counts.count(method, route, status),
  }
  return Object.assign(routes, { beside, start, dispose, [Symbol.asyncDispose]: () => dispose() })
}

/** Time until a journal that could not be followed is tried again. */
const followPause = "5 seconds"

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
