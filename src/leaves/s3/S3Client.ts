/** Sends signed requests to a bucket, and retries transient failures. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { quote } from "../../base/quote.ts"
import { emptyBytes } from "../../base/bytes.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { cappedBackoff } from "../../base/cappedBackoff.ts"
import { causeText, maxQuotedLength, retryAfterMillisOf } from "../../client/httpAnswers.ts"
import { type BodyFailure, bodyText } from "../../client/responseBody.ts"
import { isTransientRefusal, malformed, S3Failure } from "./S3Failure.ts"
import { checkCredentials, type S3Credentials, type S3Settings } from "./S3FileSystemOptions.ts"
import type { SignRequest } from "../../net/loadSigner.ts"
import { childText, parseXml, type XmlElement } from "./xml.ts"

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE"
  /** The key of the object. Default: the bucket. */
  readonly key?: string | undefined
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: Uint8Array<ArrayBuffer> | undefined
  /** Statuses other than 2xx that are no failure. */
  readonly statuses?: ReadonlyArray<number> | undefined
}

export interface S3Client {
  /** Sends once. The answer is readable until the scope closes. */
  readonly sendOnce: (request: S3Request) => Effect.Effect<Response, S3Failure, Scope.Scope>
  /** Sends with retries, and returns the headers of an answer whose body is not needed. */
  readonly send: (request: S3Request) => Effect.Effect<Response, S3Failure>
  /** Sends with retries, and parses the XML of the answer. */
  readonly sendForXml: (request: S3Request) => Effect.Effect<XmlElement, S3Failure>
  /** Parses the XML of an answer: an element `Error` is a failure whatever the status. */
  readonly readXml: (response: Response) => Effect.Effect<XmlElement, S3Failure>
  readonly repeat: <A, R>(effect: Effect.Effect<A, S3Failure, R>) => Effect.Effect<A, S3Failure, R>
  readonly brokenOff: (failure: BodyFailure) => S3Failure
  readonly requestTimeoutMillis: number
}

/** Maximum length of an answer in XML: 1,000 keys of 1,024 bytes, each byte as an entity. */
const maxXmlBytes = 8 * 1024 * 1024
const maxErrorBytes = 64 * 1024

const maxRetryAfterMillis = 30_000

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** Percent-encodes a key for a path or a header; slashes stay. */
export const encodeKey = (key: string): string => key.split("/").map(encode).join("/")

const hashOf = (body: Uint8Array<ArrayBuffer>): Effect.Effect<string> =>
  Effect.promise(async () =>
    Array.from(
      new Uint8Array(await crypto.subtle.digest("SHA-256", body)),
      (byte) => byte.toString(16).padStart(2, "0"),
    ).join("")
  )

const defined = (headers: Readonly<Record<string, string | undefined>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))

/** A service's text for a message, without the caller's secrets, which a broken or malicious service may echo. */
const hideKeys = (text: string, { secretAccessKey, sessionToken }: S3Credentials): string =>
  [secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])]
    .map(Redacted.value)
    .reduce((clean, secret) => secret === "" ? clean : clean.replaceAll(secret, "<redacted>"), text)
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, maxQuotedLength)

export const makeS3Client = (settings: S3Settings, sign: SignRequest): S3Client => {
  const { bucketUrl, maxRetries, requestTimeoutMillis } = settings
  const { host } = new URL(bucketUrl)
  const time = Duration.format(Duration.millis(requestTimeoutMillis))
  const schedule = Schedule.upTo(Schedule.jittered(cappedBackoff("100 millis", "5 seconds")), { times: maxRetries })

  const credentials: Effect.Effect<S3Credentials, S3Failure> = Effect.isEffect(settings.credentials)
    ? Effect.flatMap(
      Effect.mapError(
        settings.credentials,
        () => new S3Failure({ problem: "there are no credentials: their Effect failed", status: 401 }),
      ),
      (given) =>
        Effect.try({
          try: () => {
            checkCredentials(given)
            return given
          },
          catch: (error) => new S3Failure({ problem: errorMessage(error), status: 401 }),
        }),
    )
    : Effect.succeed(settings.credentials)

  const unreachable = (problem: string, code = "ECONNRESET"): S3Failure =>
    new S3Failure({ problem: `${host}: ${problem}`, code, isTransient: true })

  const brokenOff = (failure: BodyFailure): S3Failure =>
    failure._tag === "Silent"
      ? unreachable(`no data of the response arrived for ${time}`, "ETIMEDOUT")
      : unreachable(`the response ended early: ${causeText(failure.error)}`)

  const readText = (response: Response, maxBytes: number): Effect.Effect<string, S3Failure> =>
    Effect.flatMap(
      Effect.mapError(bodyText(response, maxBytes, requestTimeoutMillis), brokenOff),
      (text) =>
        text === undefined
          ? Effect.fail(malformed(`the answer is longer than ${maxBytes} bytes`))
          : Effect.succeed(text),
    )

  const refusal = (
    status: number,
    response: Response,
    error: XmlElement | undefined,
    keys: S3Credentials,
  ): S3Failure => {
    const code = hideKeys(error === undefined ? "" : childText(error, "Code") ?? "", keys)
    const message = error === undefined ? "" : childText(error, "Message") ?? ""
    const id = response.headers.get("x-amz-request-id") ??
      (error === undefined ? undefined : childText(error, "RequestId"))
    const region = response.headers.get("x-amz-bucket-region")
    const about = [
      `${host} answered ${status}${code === "" ? "" : ` ${code}`}${
        message === "" ? "" : `: ${hideKeys(message, keys)}`
      }`,
      ...(id === undefined || id === "" ? [] : [`request ${hideKeys(id, keys)}`]),
      ...(region === null || region === settings.region ? [] : [`the bucket is in ${hideKeys(region, keys)}`]),
    ]
    const isTransient = isTransientRefusal(status, code)
    return new S3Failure({
      problem: about.join("; "),
      status,
      code,
      isTransient,
      retryAfterMillis: Math.min(retryAfterMillisOf(response) ?? 0, maxRetryAfterMillis),
    })
  }

  const sendOnce: S3Client["sendOnce"] = ({ body, headers, key = "", method, query = {}, statuses }) =>
    Effect.gen(function* () {
      // A URL with such a part names another object, which may be outside of the prefix.
      if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(key)) {
        return yield* Effect.fail(
          new S3Failure({ problem: `the key ${quote(key)} has a part . or .., which no URL can have` }),
        )
      }
      const keys = yield* credentials
      const search = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [`${encode(name)}=${encode(value)}`]
      )
      const url = `${bucketUrl}${encodeKey(key)}${search.length === 0 ? "" : `?${search.join("&")}`}`
      const unsigned = { method, url, headers: defined(headers), bodyHash: yield* hashOf(body ?? emptyBytes) }
      const signed = yield* sign(unsigned, keys)
      // Proxies change this header, so it must not be signed.
      signed.set("accept-encoding", "identity")
      // Aborting ends the connection of an answer that is not read to its end.
      const controller = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort()),
      )
      const { signal } = controller
      const answer = Effect.tryPromise({
        try: () =>
          settings.fetch(
            new Request(url, {
              method,
              headers: signed,
              signal,
              // A signature is valid only for this address.
              redirect: "manual",
              ...(body === undefined ? undefined : { body }),
            }),
          ),
        catch: (error) => unreachable(`there was no answer: ${hideKeys(causeText(error), keys)}`),
      })
      const response = yield* Effect.timeoutOrElse(answer, {
        duration: requestTimeoutMillis,
        orElse: () => Effect.fail(unreachable(`there was no answer for ${time}`, "ETIMEDOUT")),
      })
      if (response.ok || statuses?.includes(response.status) === true) return response
      // If the body is broken, the status has to do.
      const text = yield* Effect.orElseSucceed(readText(response, maxErrorBytes), () => "")
      const xml = Result.getOrUndefined(parseXml(text))
      return yield* Effect.fail(refusal(response.status, response, xml?.name === "Error" ? xml : undefined, keys))
    })

  const readXml: S3Client["readXml"] = (response) =>
    Effect.gen(function* () {
      const xml = parseXml(yield* readText(response, maxXmlBytes))
      if (Result.isFailure(xml)) return yield* Effect.fail(malformed(`the answer is not in XML: ${xml.failure}`))
      // A service that takes long begins its answer before it knows the result.
      if (xml.success.name === "Error") {
        return yield* Effect.fail(refusal(response.status, response, xml.success, yield* credentials))
      }
      return xml.success
    })

  const repeat: S3Client["repeat"] = (effect) =>
    Effect.suspend(() => {
      let attempts = 0
      return Effect.suspend(() => {
        attempts++
        return effect
      }).pipe(
        Effect.mapError((failure) => attempts > 1 ? failure.repeated() : failure),
        Effect.tapError((failure) => failure.isTransient ? Effect.sleep(failure.retryAfterMillis) : Effect.void),
        Effect.retry({ schedule, while: ({ isTransient }) => isTransient }),
      )
    })

  return {
    sendOnce,
    send: (request) =>
      repeat(Effect.scoped(Effect.tap(sendOnce(request), (response) =>
        // A connection is reused once its answer has been read.
        request.method === "HEAD" || response.body === null ? Effect.void : readText(response, maxErrorBytes)))),
    sendForXml: (request) => repeat(Effect.scoped(Effect.flatMap(sendOnce(request), readXml))),
    readXml,
    repeat,
    brokenOff,
    requestTimeoutMillis,
  }
}
