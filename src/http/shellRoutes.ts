/**
 * The route that runs commands.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Hono } from "hono/tiny"
import { answerWith } from "./answer.ts"
import { type Access, authenticate } from "./authenticate.ts"
import { keepOpen } from "./keepOpen.ts"
import { problemResponse, refuse } from "./problem.ts"
import { readRequest } from "./readRequest.ts"
import { makeRuns, type ShellSource } from "./Runs.ts"

/** Bounds of what one request may cost. */
export interface ShellRoutesLimits {
  /** Longest body that is read. Default: 1 MiB. */
  readonly maxBodyBytes?: number | undefined
  /**
   * Most bytes of each output that a run may keep in memory, whatever the `maxOutputBytes` of its command says.
   * Default: 64 MiB for commands that say it, the leaf's own budget for those that don't.
   */
  readonly maxOutputBytes?: number | undefined
  /** What `Retry-After` says to clients that were throttled. Whole seconds, rounded up. Default: 1 s. */
  readonly retryAfter?: Duration.Input | undefined
}

/** Where commands run, who may run them, and what a request may cost. */
export type ShellRoutesOptions = ShellSource & Access & ShellRoutesLimits

/** A Hono app with the route, and the way to end it. */
export interface ShellRoutes extends Hono {
  /** Ends all commands of the route, waits for their ends, and releases the layer. Later requests get 503. */
  readonly dispose: () => Promise<void>
  /** The same, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Routes that run commands for whoever has the token:
 * `POST /exec`, with a `ShellExec` as JSON (only `command` is needed), answers by `Accept`
 *
 * - `application/json`, the default: one `ShellOutput` with the whole output, when the command has ended;
 * - `application/x-ndjson`: the events as they come, one a line;
 * - `text/event-stream`: the same as server-sent events; `id` is the `seq`.
 *
 * `?window=lines:50` (or `window` in the body; see `Window.parsePolicy`) turns the chunks of a streamed answer into
 * windows. An exit code is never an error: 200 says that the command ran.
 *
 * A command lives as long as somebody waits for its answer: a client that goes away cancels it, and one that reads
 * slowly holds it back, since nothing is read from it before the connection takes it.
 *
 * What goes wrong before the first event is `application/problem+json` ({@link ProblemDetails}): 400 a body that is no
 * command, or `InvalidRequest`; 401; 403 `PermissionDenied`, `NotAllowed`; 404 `NotFound`; 405; 406; 408 `Timeout`;
 * 413; 415; 429 `Throttled` and 503 `ResourceExhausted`, both with `Retry-After`; 499 `Cancelled`; 500 `JournalFailed`,
 * `Unknown`; 502 `HostLost`. It holds the encoded fault, partial output included. After the first event a fault is the
 * last event.
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
  const maxBodyBytes = options.maxBodyBytes ?? 1024 * 1024
  const runs = makeRuns(options)
  const answer = answerWith(runs, {
    maxOutputBytes: options.maxOutputBytes,
    retryAfterSeconds: Math.ceil(Duration.toSeconds(Duration.fromInputUnsafe(options.retryAfter ?? 1000))),
  })

  const routes = new Hono()
  routes.post("/exec", authenticate(options), async (c) => {
    const { raw } = c.req
    const request = await Effect.runPromise(Effect.result(readRequest(c.req, maxBodyBytes)))
    if (Result.isFailure(request)) return problemResponse(request.failure)
    return await answer(request.success, raw.signal, keepOpen(raw, c.env))
  })
  routes.all(
    "/exec",
    () => problemResponse(refuse(405, "method-not-allowed", "use POST", { headers: { allow: "POST" } })),
  )
  return Object.assign(routes, { dispose: runs.dispose, [Symbol.asyncDispose]: runs.dispose })
}
