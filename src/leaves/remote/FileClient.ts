/** Sends requests about files to a server with retries, and turns every failure into a `FileFault`. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { durationOf } from "../../base/duration.ts"
import { cappedBackoff } from "../../base/cappedBackoff.ts"
import { makeHttpTransport } from "../../client/HttpTransport.ts"
import type { RemoteClientOptions } from "../../client/RemoteClientOptions.ts"
import type { HttpRequestSpec } from "../../client/requestTarget.ts"
import { isTransient } from "../../client/reconnect.ts"
import { type RemoteError, statusOf } from "../../client/RemoteError.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import { FileFault, type FileFaultKind } from "../../files/FileFault.ts"
import { parsePath } from "../../files/FilePath.ts"
import { describeRequest, type FileRequest } from "../../files/FileRequest.ts"
import { correlationIdHeader } from "../../wire/fileTransfer.ts"
import { tokenAdvice } from "./remoteFaults.ts"
import type { RemoteFileSystemOptions } from "./RemoteFileSystemOptions.ts"

/** A failure of one attempt, before the decision whether the request is repeated. */
export type FileFailure = RemoteError | FileFault

export interface FileClient {
  /** The URL path of a file below the routes; fails for a path that no leaf accepts. */
  readonly pathOf: (request: FileRequest) => Result.Result<string, FileFault>
  readonly send: (request: FileRequest, spec: HttpRequestSpec) => Effect.Effect<Response, FileFailure, Scope.Scope>
  /** Sends once, and decodes the answer within the time of two silences. */
  readonly sendAndDecode: <A>(
    request: FileRequest,
    schema: Schema.Codec<A>,
    spec: HttpRequestSpec,
  ) => Effect.Effect<A, FileFailure>
  /**
   * Repeats a request until the `reconnectTimeout`: after a lost connection, if the server is busy, or after a refusal
   * that `isMeant` accepts.
   */
  readonly repeat: <A, R>(
    effect: Effect.Effect<A, FileFailure, R>,
    isMeant?: (error: RemoteError) => boolean,
  ) => Effect.Effect<A, FileFailure, R>
  /** Repeats only requests that a busy server refused: a request that may have taken effect is not sent again. */
  readonly repeatRefused: <A, R>(effect: Effect.Effect<A, FileFailure, R>) => Effect.Effect<A, FileFailure, R>
  readonly faultOf: (request: FileRequest, failure: FileFailure) => FileFault
  readonly ownFault: (request: FileRequest, fault: FileFault) => FileFault
  /** Makes the fault of an answer that does not follow the protocol. */
  readonly malformed: (request: FileRequest, what: string) => FileFault
  readonly idleTimeoutMillis: number
}

const maxAnswerBytes = 1024 * 1024

const decodeFault = Schema.decodeUnknownResult(FileFault)

const makeFault = (request: FileRequest, faultKind: FileFaultKind, what: string, code: string): FileFault =>
  new FileFault({
    correlationId: request.correlationId,
    faultKind,
    path: request.path,
    message: `${describeRequest(request)}: ${what} (${code})`,
    code,
  })

/** Maximum length of the message of a server's fault, which has the path in it. */
const maxMessageLength = 8_192

/** Gives a server's fault the id and the path of the request: the server was sent another form of the path. */
const localFault = (request: FileRequest, { code, faultKind, message: given, path }: FileFault): FileFault => {
  const start = `${describeRequest({ ...request, path })}:`
  // The message may be shown on a terminal or to a model.
  const message = given.slice(0, maxMessageLength).replace(/\p{Cc}/gu, " ")
  return new FileFault({
    correlationId: request.correlationId,
    faultKind,
    path: request.path,
    message: message.startsWith(start) ? `${describeRequest(request)}:${message.slice(start.length)}` : message,
    ...(code === undefined ? undefined : { code: code.slice(0, 100) }),
  })
}

/** The fault for a refusal without one, which comes from the server's limits or from a proxy. */
const refusals: Readonly<Record<number, readonly [FileFaultKind, code: string, advice: string]>> = {
  401: ["AccessDenied", "NOT_ALLOWED", tokenAdvice],
  403: ["AccessDenied", "NOT_ALLOWED", "give a token with the right to do this"],
  404: ["IoError", "EPROTO", "give the url of a server that serves files: sluice serve --files DIR"],
  405: ["IoError", "EPROTO", "give the url of a server that serves files: sluice serve --files DIR"],
  413: ["DiskFull", "EFBIG", "write less, or raise the server's maxUploadBytes"],
  429: ["IoError", "EAGAIN", "try again later"],
  503: ["IoError", "EAGAIN", "try again later"],
}

/** The fault for an upload that the server no longer has: the server was restarted, or the upload expired. */
const lostUpload: readonly [FileFaultKind, code: string, advice: string] = [
  "IoError",
  "ECONNRESET",
  "if the file still has its old content, write it again",
]

export const makeFileClient = (
  options: RemoteClientOptions,
  reconnectTimeout: RemoteFileSystemOptions["reconnectTimeout"] = "30 seconds",
): FileClient => {
  const transport = makeHttpTransport({ maxAnswerBytes, ...options })
  const { idleTimeoutMillis } = transport
  const patience = durationOf("reconnectTimeout", reconnectTimeout)
  const host = URL.canParse(options.url) ? new URL(options.url).host : "the server"
  const schedule = Schedule.upTo(cappedBackoff("50 millis", "1 second"), { duration: patience })

  const ownFailure = (request: FileRequest, error: RemoteError | ShellFault): FileFailure => {
    if (error._tag === "ShellFault") return malformed(request, "the response is the fault of a command")
    const given = error.reason._tag === "Refused" ? error.reason.problem?.fault : undefined
    const fault = given === undefined ? undefined : Result.getOrUndefined(decodeFault(given))
    return fault === undefined ? error : localFault(request, fault)
  }

  const malformed = (request: FileRequest, what: string): FileFault =>
    makeFault(request, "IoError", `${what}; is ${host} an execution server with files?`, "EPROTO")

  const faultOf = (request: FileRequest, error: FileFailure): FileFault => {
    if (error._tag === "FileFault") return error
    const { reason } = error
    const what = error.message.replace(/^http: /, "")
    switch (reason._tag) {
      case "NotSent":
        return makeFault(request, "IoError", what, "EINVAL")
      case "Malformed":
        return makeFault(request, "IoError", what, "EPROTO")
      case "Unreachable": {
        const time = Duration.format(patience)
        const effect = request._tag === "FileWrite" || request._tag === "FileDelete" ? "; it may have taken effect" : ""
        return makeFault(
          request,
          "IoError",
          `${host} could not be reached for ${time}: ${what}${effect}`,
          "EHOSTUNREACH",
        )
      }
      case "Refused": {
        const [kind, code, advice] = reason.problem?.type === "urn:sluice:request:unknown-upload"
          ? lostUpload
          : refusals[reason.status] ?? ["IoError", "EPROTO", "ask the server's operator"] as const
        return makeFault(request, kind, `${host}: ${reason.problem?.detail ?? what}; ${advice}`, code)
      }
    }
  }

  const withId = (request: FileRequest, spec: HttpRequestSpec): HttpRequestSpec => ({
    ...spec,
    headers: { ...spec.headers, [correlationIdHeader]: request.correlationId },
  })

  // Limits the time of an answer that arrives a few bytes at a time.
  const within = <A, R>(
    effect: Effect.Effect<A, RemoteError | ShellFault, R>,
    spec: HttpRequestSpec,
  ): Effect.Effect<A, RemoteError | ShellFault, R> =>
    Effect.timeoutOrElse(effect, {
      duration: 2 * idleTimeoutMillis,
      orElse: () => Effect.fail(transport.noAnswer(spec, 2 * idleTimeoutMillis)),
    })

  const waitAsTold = (error: FileFailure): Effect.Effect<void> =>
    error._tag === "RemoteError" && error.reason._tag === "Refused" && isTransient(error)
      ? Effect.sleep(Math.min(error.reason.retryAfterMillis ?? 0, Duration.toMillis(patience)))
      : Effect.void

  const repeatWhile = <A, R>(
    effect: Effect.Effect<A, FileFailure, R>,
    isMeant: (error: RemoteError) => boolean,
  ): Effect.Effect<A, FileFailure, R> =>
    Effect.retry(Effect.tapError(effect, waitAsTold), {
      schedule,
      while: (error) => error._tag === "RemoteError" && isMeant(error),
    })

  return {
    pathOf: (request) => {
      const names = parsePath(request.path)
      if (Result.isSuccess(names)) return Result.succeed(["files", ...names.success.map(encodeURIComponent)].join("/"))
      const { faultKind, what } = names.failure
      return Result.fail(
        new FileFault({
          correlationId: request.correlationId,
          faultKind,
          path: request.path,
          message: `${describeRequest(request)}: the path cannot be used: ${what}`,
        }),
      )
    },
    send: (request, spec) =>
      Effect.mapError(within(transport.send(withId(request, spec)), spec), (error) => ownFailure(request, error)),
    sendAndDecode: (request, schema, spec) =>
      Effect.mapError(
        within(transport.sendAndDecode(schema, withId(request, spec)), spec),
        (error) => ownFailure(request, error),
      ),
    repeat: (effect, isMeant = () => false) => repeatWhile(effect, (error) => isTransient(error) || isMeant(error)),
    repeatRefused: (effect) => repeatWhile(effect, (error) => [429, 503].includes(statusOf(error) ?? 0)),
    faultOf,
    ownFault: localFault,
    malformed,
    idleTimeoutMillis,
  }
}
