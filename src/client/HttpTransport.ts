/** Sends the requests of a client to an execution server, and converts its answers and failures. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type DurationInput, millisOf } from "../base/duration.ts"
import type { CommandId } from "../command/CommandId.ts"
import { referenceOf } from "../command/plain/secret.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { Problem } from "../wire/serverAnswers.ts"
import { formatWireVersions, negotiateWireVersion, wireVersionHeader } from "../wire/version.ts"
import { causeText, isRedirect, locationOf, maxQuotedLength, parseJson, retryAfterMillisOf } from "./httpAnswers.ts"
import { RemoteError, type RemoteErrorReason } from "./RemoteError.ts"
import { type BodyFailure, bodyText } from "./responseBody.ts"

/** Options of a client: the server's address, credentials and bounds. */
export interface RemoteClientOptions {
  /**
   * Where the routes are mounted, such as `"https://build.example/shell"`. Nothing is ever sent to another address: a
   * redirection is an error.
   */
  readonly url: string
  /**
   * Sent as `Authorization: Bearer <token>`. An Effect, such as of `Secrets.get`, is run for each request; the layers of
   * clients take a reference to a secret, too, and read it for each request from the `Secrets` that they are made with.
   * Default: none.
   */
  readonly token?: string | Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>, unknown> | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Default: the runtime's `fetch`. Pass your own for a private certificate authority, a proxy, or HTTP/2 where the runtime
   * does not use it by default.
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Sends the secrets of commands to another machine even without encryption (`http:`). Default: `false`. */
  readonly plainSecrets?: boolean | undefined
  /**
   * Maximum bytes of one event, and of an answer that is read as a whole. Default: 256 MiB, which holds a `ShellOutput` with
   * both outputs at their default budget.
   */
  readonly maxAnswerBytes?: number | undefined
  /**
   * Maximum silence of a server that sends something at least every 15 s. After that, or up to half as much later, its
   * connection counts as lost. Default: 60 s.
   */
  readonly idleTimeout?: DurationInput | undefined
}

export const clientOptionNames: Readonly<Record<keyof RemoteClientOptions, true>> = {
  url: true,
  token: true,
  headers: true,
  fetch: true,
  plainSecrets: true,
  maxAnswerBytes: true,
  idleTimeout: true,
}

/** Time limit of a cancellation's response. */
export const cancelTimeout = "5 seconds"

export interface HttpRequestSpec {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below the URL of the routes, such as `"commands/c1"`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly commandId?: CommandId | undefined
  readonly accept?: string | undefined
  readonly contentType?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Statuses beside 2xx that are no error. */
  readonly statuses?: ReadonlyArray<number> | undefined
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
  /** Milliseconds until the answer must begin; `Infinity` to wait for ever. Default: the client's `idleTimeout`. */
  readonly withinMillis?: number | undefined
}

export interface HttpTransport {
  /** Sends a request. The answer is readable until the Scope closes; a status other than 2xx is an error. */
  readonly send: (spec: HttpRequestSpec) => Effect.Effect<Response, RemoteError | ShellFault, Scope.Scope>
  readonly sendAndDecode: <A>(
    schema: Schema.Codec<A>,
    spec: HttpRequestSpec,
  ) => Effect.Effect<A, RemoteError | ShellFault>
  readonly notSent: (spec: HttpRequestSpec, problem: string) => RemoteError
  /** The error of an answer that does not follow the protocol. */
  readonly malformed: (spec: HttpRequestSpec, problem: string) => RemoteError
  readonly noAnswer: (spec: HttpRequestSpec, millis: number) => RemoteError
  readonly brokenOff: (spec: HttpRequestSpec, failure: BodyFailure | string) => RemoteError
  readonly idleTimeoutMillis: number
  readonly maxAnswerBytes: number
}

const decodeProblem = Schema.decodeUnknownResult(Problem)
const decodeFault = Schema.decodeUnknownResult(ShellFault)

interface Target {
  readonly base: URL
  readonly headers: Headers
  readonly token?: Effect.Effect<Redacted.Redacted<string>, unknown> | undefined
}

/** Resolves the address and the headers of all requests. Its failure quotes neither the token nor a password. */
const resolveTarget = ({ headers, token, url }: RemoteClientOptions): Result.Result<Target, string> => {
  let base: URL
  try {
    base = new URL(url.endsWith("/") ? url : `${url}/`)
  } catch {
    return Result.fail("the url is invalid: write one such as https://build.example/shell")
  }
  if (base.protocol !== "http:" && base.protocol !== "https:") {
    return Result.fail("the url must begin with https: or http:")
  }
  if (base.username !== "" || base.password !== "") return Result.fail("the url has a password: use a token instead")
  try {
    const allHeaders = new Headers(headers)
    allHeaders.set(wireVersionHeader, formatWireVersions())
    if (referenceOf(token) !== undefined) {
      return Result.fail("the token is a reference to a secret: give it to a layer, or the Effect of Secrets.get")
    }
    if (token === undefined || Effect.isEffect(token)) return Result.succeed({ base, headers: allHeaders, token })
    return Result.map(withToken(allHeaders, token), (headers) => ({ base, headers }))
  } catch {
    return Result.fail(notSendable)
  }
}

const notSendable = "the token or a header cannot be sent: it must be printable ASCII"

/** The headers with a token. The runtime's error would quote it. */
const withToken = (headers: Headers, token: string | Redacted.Redacted<string>): Result.Result<Headers, string> =>
  Result.try({
    try: () => {
      const all = new Headers(headers)
      all.set("authorization", `Bearer ${typeof token === "string" ? token : Redacted.value(token)}`)
      return all
    },
    catch: () => notSendable,
  })

/** The headers of all requests, with a token that is read for each. Only failures of a secret reference are quoted. */
const headersOf = ({ headers, token }: Target): Effect.Effect<Headers, string> =>
  token === undefined ? Effect.succeed(headers) : Effect.matchEffect(token, {
    onFailure: (error) =>
      Effect.fail(
        `there is no token: ${
          Predicate.isTagged(error, "SecretFault") && error instanceof Error ? error.message : "its Effect failed"
        }`,
      ),
    onSuccess: (secret) => Effect.fromResult(withToken(headers, secret)),
  })

const makeRequest = (
  base: URL,
  headers: Headers,
  { accept, body, contentType, headers: more = {}, method, path, query = {} }: HttpRequestSpec,
  signal: AbortSignal,
): Request => {
  const url = new URL(path, base)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  const allHeaders = new Headers(headers)
  for (const [name, value] of Object.entries(more)) allHeaders.set(name, value)
  if (accept !== undefined) allHeaders.set("accept", accept)
  if (contentType !== undefined) allHeaders.set("content-type", contentType)
  // The request holds a token, a command and its secrets: it must go nowhere but to the caller's address.
  return new Request(url, {
    method,
    headers: allHeaders,
    signal,
    redirect: "manual",
    ...(body === undefined ? undefined : { body }),
  })
}

export const makeHttpTransport = (options: RemoteClientOptions): HttpTransport => {
  const { fetch = (request) => globalThis.fetch(request), maxAnswerBytes = 256 * 1024 * 1024 } = options
  const idleTimeoutMillis = millisOf("idleTimeout", options.idleTimeout ?? "60 seconds")
  const idleTime = Duration.format(Duration.millis(idleTimeoutMillis))
  const target = resolveTarget(options)

  const nameOf = ({ commandId, method, path }: HttpRequestSpec): string => {
    const address = Result.isSuccess(target) ? `${target.success.base.origin}${target.success.base.pathname}` : ""
    return `${method} ${address}${path}${commandId === undefined ? "" : ` (command ${commandId})`}`
  }
  const errorOf = (reason: RemoteErrorReason, spec: HttpRequestSpec, problem: string): RemoteError =>
    new RemoteError({ reason, message: `http: ${nameOf(spec)}: ${problem}` })

  const unreachable = (spec: HttpRequestSpec, problem: string): RemoteError =>
    errorOf({ _tag: "Unreachable" }, spec, problem)

  const notSent = (spec: HttpRequestSpec, problem: string): RemoteError => errorOf({ _tag: "NotSent" }, spec, problem)

  const malformed = (spec: HttpRequestSpec, problem: string): RemoteError =>
    errorOf(
      { _tag: "Malformed" },
      spec,
      `${problem.slice(0, maxQuotedLength)}; is that the URL of an execution server?`,
    )

  const brokenOff = (spec: HttpRequestSpec, failure: BodyFailure | string): RemoteError => {
    const problem = typeof failure === "string"
      ? failure
      : failure._tag === "Silent"
      ? `nothing for ${idleTime}`
      : causeText(failure.error)
    return unreachable(spec, `the response ended early: ${problem}`)
  }

  const noAnswer = (spec: HttpRequestSpec, millis: number): RemoteError =>
    unreachable(spec, `no response for ${Duration.format(Duration.millis(millis))}`)

  const readRefusal = (spec: HttpRequestSpec, response: Response): Effect.Effect<RemoteError | ShellFault> =>
    Effect.map(
      // A broken or oversized body adds nothing to its status.
      Effect.catch(bodyText(response, maxAnswerBytes, idleTimeoutMillis), () => Effect.succeed(undefined)),
      (text) => {
        const body = text === undefined ? undefined : Result.getOrUndefined(parseJson(text))
        const problem = Result.getOrUndefined(decodeProblem(body))
        const fault = problem?.fault === undefined ? undefined : Result.getOrUndefined(decodeFault(problem.fault))
        if (fault !== undefined && (spec.commandId === undefined || fault.commandId === spec.commandId)) return fault
        const { status } = response
        const retryAfterMillis = retryAfterMillisOf(response)
        const detail = problem?.detail.slice(0, maxQuotedLength) ??
          (problem === undefined && body === undefined && status >= 500
            ? "not in the format of an execution server: is it a proxy that cannot reach the server?"
            : "not in the format of an execution server")
        return errorOf(
          {
            _tag: "Refused",
            status,
            ...(problem === undefined ? undefined : { problem }),
            ...(retryAfterMillis === undefined ? undefined : { retryAfterMillis }),
          },
          spec,
          `answered ${status}: ${detail}`,
        )
      },
    )

  const redirected = (spec: HttpRequestSpec, response: Response, base: URL): RemoteError =>
    errorOf(
      { _tag: "Refused", status: response.status },
      spec,
      `answered ${response.status}, a redirection to ${
        locationOf(response, base)
      }, which is not followed; if that is the server, use its address as the url`,
    )

  const send: HttpTransport["send"] = (spec) =>
    Effect.gen(function* () {
      if (Result.isFailure(target)) return yield* Effect.fail(notSent(spec, target.failure))
      const { success } = target
      const headers = yield* Effect.mapError(headersOf(success), (problem) => notSent(spec, problem))
      // Aborting ends the connection of an answer that is not read to its end.
      const controller = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort()),
      )
      const { withinMillis = idleTimeoutMillis } = spec
      const limitMillis = withinMillis === Infinity ? Infinity : Math.min(withinMillis, idleTimeoutMillis)
      const answer = Effect.tryPromise({
        try: () => fetch(makeRequest(success.base, headers, spec, controller.signal)),
        catch: (error) => unreachable(spec, `there was no answer: ${causeText(error)}`),
      })
      const response = yield* limitMillis === Infinity ? answer : Effect.timeoutOrElse(answer, {
        duration: limitMillis,
        orElse: () => Effect.fail(noAnswer(spec, limitMillis)),
      })
      if (isRedirect(response)) return yield* Effect.fail(redirected(spec, response, success.base))
      if (!response.ok && spec.statuses?.includes(response.status) !== true) {
        return yield* Effect.fail(yield* readRefusal(spec, response))
      }
      const version = response.headers.get(wireVersionHeader)
      if (negotiateWireVersion(version) !== undefined) return response
      const readable = formatWireVersions()
      return yield* Effect.fail(
        malformed(spec, `the server answers in ${wireVersionHeader} ${version}, and this client reads ${readable}`),
      )
    })

  const sendAndDecode: HttpTransport["sendAndDecode"] = (schema, spec) => {
    const decodeBody = Schema.decodeUnknownResult(schema)
    return Effect.scoped(Effect.gen(function* () {
      const response = yield* send(spec)
      const text = yield* Effect.mapError(
        bodyText(response, maxAnswerBytes, idleTimeoutMillis),
        (failure) => brokenOff(spec, failure),
      )
      if (text === undefined) {
        return yield* Effect.fail(malformed(spec, `the answer is longer than ${maxAnswerBytes} bytes`))
      }
      const json = Result.mapError(parseJson(text), () => malformed(spec, "the response is not JSON"))
      return yield* Effect.fromResult(
        Result.flatMap(
          json,
          (body) =>
            Result.mapError(
              decodeBody(body),
              (error) => malformed(spec, `the response has an unexpected format: ${error.message}`),
            ),
        ),
      )
    }))
  }

  return { send, sendAndDecode, notSent, malformed, noAnswer, brokenOff, idleTimeoutMillis, maxAnswerBytes }
}
