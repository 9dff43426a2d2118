/**
 * Requests to an execution server, and what their answers say.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { ShellFault } from "../command/ShellFault.ts"
import { WIRE_VERSION, WIRE_VERSION_HEADER } from "./codec.ts"
import { HttpError } from "./HttpError.ts"
import { Problem } from "./protocol.ts"

/** Where a server is, and how it is spoken to. */
export interface ShellHttpClientOptions {
  /** Where the routes are mounted, such as `"https://build.example/shell"`. */
  readonly url: string
  /** What the server wants as `Authorization: Bearer <token>`. Default: none. */
  readonly token?: string | Redacted.Redacted<string> | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Default: the `fetch` of the runtime. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
}

/** One request. */
export interface Asked {
  readonly method: "GET" | "POST" | "DELETE"
  /** Below the URL of the routes, such as `"commands/c1"`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly accept?: string | undefined
  readonly type?: string | undefined
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
}

const decodeProblem = Schema.decodeUnknownResult(Problem)
const decodeFault = Schema.decodeUnknownResult(ShellFault)

const unreachable = (what: string, error: unknown): HttpError =>
  new HttpError({ reason: "Unreachable", message: `http: ${what}: ${String(error)}` })

/** The error that an answer is, or the fault that it carries. */
const refusal = (response: Response): Effect.Effect<HttpError | ShellFault> =>
  Effect.map(Effect.promise(() => response.json().catch(() => undefined)), (body: unknown) => {
    const { headers, status } = response
    const problem = Result.getOrUndefined(decodeProblem(body))
    const fault = problem?.fault === undefined ? undefined : Result.getOrUndefined(decodeFault(problem.fault))
    if (fault !== undefined) return fault
    const seconds = Number(headers.get("retry-after") ?? Number.NaN)
    return new HttpError({
      reason: "Refused",
      message: `http: the server answered ${status}${problem === undefined ? "" : `: ${problem.detail}`}`,
      status,
      ...(problem === undefined ? undefined : { problem }),
      ...(Number.isFinite(seconds) ? { retryAfterMillis: seconds * 1000 } : undefined),
    })
  })

/** Makes the function that sends a request; the answer is there until the Scope ends, and is an error unless it is 2xx. */
export const fetching = (
  { fetch = (request) => globalThis.fetch(request), headers, token, url }: ShellHttpClientOptions,
): (asked: Asked) => Effect.Effect<Response, HttpError | ShellFault, Scope.Scope> => {
  const base = url.endsWith("/") ? url : `${url}/`
  const bearer = token === undefined ? undefined : typeof token === "string" ? token : Redacted.value(token)

  const requestOf = ({ accept, body, method, path, query = {}, type }: Asked, signal: AbortSignal): Request => {
    const target = new URL(path, base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value))
    }
    const all = new Headers(headers)
    all.set(WIRE_VERSION_HEADER, String(WIRE_VERSION))
    if (bearer !== undefined) all.set("authorization", `Bearer ${bearer}`)
    if (accept !== undefined) all.set("accept", accept)
    if (type !== undefined) all.set("content-type", type)
    return new Request(target, { method, headers: all, signal, ...(body === undefined ? undefined : { body }) })
  }

  return (asked) =>
    Effect.gen(function* () {
      // It ends the connection of an answer that nobody reads to its end.
      const controller = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (one) => Effect.sync(() => one.abort()),
      )
      const response = yield* Effect.tryPromise({
        try: () => fetch(requestOf(asked, controller.signal)),
        catch: (error) => unreachable(`${asked.method} ${asked.path}`, error),
      })
      return response.ok ? response : yield* Effect.fail(yield* refusal(response))
    })
}

/** What an answer holds, by its Schema. */
export const decodeAnswer = <A>(
  schema: Schema.Codec<A>,
): (response: Response) => Effect.Effect<A, HttpError> => {
  const decode = Schema.decodeUnknownResult(schema)
  return (response) =>
    Effect.flatMap(
      Effect.tryPromise({
        try: (): Promise<unknown> => response.json(),
        catch: (error) => unreachable("the answer broke off", error),
      }),
      (body) =>
        Effect.fromResult(Result.mapError(
          decode(body),
          (error) => new HttpError({ reason: "Malformed", message: `http: not an answer: ${error.message}` }),
        )),
    )
}

/** The bytes of an answer that comes in pieces. */
export const brokeOff = (error: unknown): HttpError => unreachable("the answer broke off", error)
