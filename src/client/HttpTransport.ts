/** Sends the requests of a client to an execution server, and converts its answers and failures. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { defined } from "../base/defined.ts"
import { millisOf } from "../base/duration.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { Problem } from "../wire/serverAnswers.ts"
import { formatWireVersions, negotiateWireVersion, wireVersionHeader } from "../wire/version.ts"
import { causeText, isRedirect, locationOf, maxQuotedLength, parseJson, retryAfterMillisOf } from "./httpAnswers.ts"
import { RemoteError, type RemoteErrorReason } from "./RemoteError.ts"
import type { RemoteClientOptions } from "./RemoteClientOptions.ts"
import { headersOf, type HttpRequestSpec, makeRequest, resolveTarget } from "./requestTarget.ts"
import { type BodyFailure, bodyText } from "./responseBody.ts"

/** Time limit of a cancellation's response. */
export const cancelTimeout = "5 seconds"

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
      // If the body is broken or too large, the status has to do.
      Effect.catch(bodyText(response, maxAnswerBytes, idleTimeoutMillis), () => Effect.undefined),
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
            ...defined({ problem, retryAfterMillis }),
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
