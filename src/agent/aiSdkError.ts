/** Converts errors that an AI SDK provider throws or streams to those of `effect/ai`. */
import * as AiError from "effect/ai/AiError"
import * as Duration from "effect/Duration"

/** Maximum characters of a provider's answer that an error keeps. */
const maxBody = 2_000

const maxDescription = 500

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const textField = (value: unknown, name: string): string | undefined => {
  const text = field(value, name)
  return typeof text === "string" && text !== "" ? text : undefined
}

/** The first text under a name, in a value or in its `error`, `data` or `response`. */
const findText = (value: unknown, name: string, depth = 4): string | undefined =>
  textField(value, name) ??
    (depth === 0
      ? undefined
      : ["error", "data", "response"].map((inner) => field(value, inner)).map((inner) =>
        typeof inner === "object" && inner !== null ? findText(inner, name, depth - 1) : undefined
      ).find((found) => found !== undefined))

/** Maximum wait that is reported, in seconds: a year. A server may send any number. */
const maxRetryAfter = 31_536_000

/** Reads `Retry-After` of RFC 9110: seconds, or a date. */
export const parseRetryAfter = (value: string, now: number): Duration.Duration | undefined => {
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Duration.seconds(Math.min(Number(text), maxRetryAfter))
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Duration.millis(Math.min(Math.max(0, date - now), maxRetryAfter * 1_000))
}

const headersOf = (error: unknown): Record<string, string> => {
  const headers = field(error, "responseHeaders")
  if (typeof headers !== "object" || headers === null) return {}
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => typeof value === "string" ? [[name.toLowerCase(), value]] : []),
  )
}

const retryAfterOfHeaders = (headers: Record<string, string>, now: number): Duration.Duration | undefined => {
  const millis = headers["retry-after-ms"]
  if (millis !== undefined && /^\d+(\.\d+)?$/.test(millis)) {
    return Duration.millis(Math.min(Number(millis), maxRetryAfter * 1_000))
  }
  const value = headers["retry-after"]
  return value === undefined ? undefined : parseRetryAfter(value, now)
}

/** The address of a request without its query, which may hold a key. */
const addressOf = (error: unknown): string | undefined => {
  const url = textField(error, "url")
  if (url === undefined || !URL.canParse(url)) return undefined
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** The names that providers give to errors, in answers with a status of 200 too: in the middle of a stream. */
const statuses: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["INVALID_ARGUMENT", 400],
  ["authentication_error", 401],
  ["UNAUTHENTICATED", 401],
  ["invalid_api_key", 401],
  ["permission_error", 403],
  ["PERMISSION_DENIED", 403],
  ["not_found_error", 404],
  ["NOT_FOUND", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["rate_limit_exceeded", 429],
  ["RESOURCE_EXHAUSTED", 429],
  ["insufficient_quota", 429],
  ["api_error", 500],
  ["server_error", 500],
  ["INTERNAL", 500],
  ["UNAVAILABLE", 503],
  ["overloaded_error", 529],
])

const policyCodes = /^(content_policy_violation|content_filter|invalid_prompt|cyber_policy)$/

/** The errors of the AI SDK by their names: instances would be of another copy of its package. */
const reasonsByName: Readonly<Record<string, (description: string) => AiError.AiErrorReason>> = {
  AI_LoadAPIKeyError: (description) => new AiError.AuthenticationError({ kind: "MissingKey", description }),
  AI_InvalidPromptError: (description) => new AiError.InvalidRequestError({ description }),
  AI_InvalidArgumentError: (description) => new AiError.InvalidRequestError({ description }),
  AI_UnsupportedFunctionalityError: (description) => new AiError.InvalidRequestError({ description }),
  AI_NoSuchModelError: (description) => new AiError.InvalidRequestError({ parameter: "model", description }),
  AI_JSONParseError: (description) => new AiError.InvalidResponseError({ description }),
  AI_TypeValidationError: (description) => new AiError.InvalidResponseError({ description }),
  AI_InvalidResponseDataError: (description) => new AiError.InvalidResponseError({ description }),
  AI_EmptyResponseBodyError: (description) => new AiError.InvalidResponseError({ description }),
  AI_NoContentGeneratedError: (description) => new AiError.InvalidResponseError({ description }),
}

interface Described {
  readonly description: string
  readonly http?: typeof AiError.HttpContext.Type
}

const reasonOfStatus = (
  status: number,
  code: string,
  described: Described,
  retryAfter: Duration.Duration | undefined,
): AiError.AiErrorReason => {
  if (policyCodes.test(code)) return new AiError.ContentPolicyError(described)
  switch (status) {
    case 401:
      return new AiError.AuthenticationError({ kind: "InvalidKey", ...described })
    case 402:
      return new AiError.QuotaExhaustedError(described)
    case 403:
      return new AiError.AuthenticationError({ kind: "InsufficientPermissions", ...described })
    case 404:
      return new AiError.InvalidRequestError({ parameter: "model", ...described })
    case 408:
    case 409:
      return new AiError.InternalProviderError(described)
    case 429: {
      if (code === "insufficient_quota") return new AiError.QuotaExhaustedError(described)
      return new AiError.RateLimitError({ ...described, ...(retryAfter === undefined ? {} : { retryAfter }) })
    }
  }
  if (status >= 500) return new AiError.InternalProviderError(described)
  if (status >= 400) return new AiError.InvalidRequestError(described)
  return new AiError.InvalidResponseError(described)
}

/** The provider's own message. Where its answer does not have the usual form, the AI SDK has none. */
const describe = (error: unknown): string => {
  if (typeof error === "string") return error
  const message = findText(error, "message")
  if (message !== undefined) return message
  const body = textField(error, "responseBody")
  return body === undefined ? "no reason was given" : body
}

/** Whether a connection failed: the runtimes throw a `TypeError`, or an error with the code of the system. */
const isTransportError = (error: unknown): boolean =>
  (error instanceof TypeError && !isMisread(error)) || textField(error, "code") !== undefined ||
  /^(AI_APICallError|AbortError|TimeoutError)$/.test(textField(error, "name") ?? "")

/** Whether the AI SDK found unexpected content in an answer. */
const isMisread = (error: TypeError): boolean => /undefined|\bnull\b|not a function|not iterable/.test(error.message)

/** The error text of `@ai-sdk/openai-compatible` for a stream that breaks off. */
const isCutOff = /^Response stream ended without/

const transportError = (error: unknown, description: string): AiError.AiErrorReason =>
  new AiError.NetworkError({
    reason: "TransportError",
    method: "POST",
    url: addressOf(error) ?? "of the provider",
    description,
  })

const reasonOf = (error: unknown, redact: (text: string) => string, now: number): AiError.AiErrorReason => {
  const description = redact(describe(error)).slice(0, maxDescription)
  if (isCutOff.test(description)) return transportError(error, description)
  const named = reasonsByName[textField(error, "name") ?? ""]
  if (named !== undefined) return named(description)
  const given = field(error, "statusCode")
  const codes = ["code", "type", "status"].map((name) => findText(error, name) ?? "")
  const code = codes.find((each) => policyCodes.test(each) || each === "insufficient_quota") ?? ""
  const status = typeof given === "number" ? given : codes.map((each) => statuses.get(each)).find(Number.isInteger)
  const cause = field(error, "cause")
  // A successful response that was cut off or malformed, as its cause says.
  if (status !== undefined && status < 300 && cause instanceof Error) return reasonOf(cause, redact, now)
  if (status !== undefined) {
    const headers = headersOf(error)
    const kept = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]))
    const body = textField(error, "responseBody")
    const http = {
      response: { status, headers: kept },
      ...(body === undefined ? {} : { body: redact(body).slice(0, maxBody) }),
    }
    return reasonOfStatus(status, code, { description, http }, retryAfterOfHeaders(headers, now))
  }
  if (isTransportError(error)) return transportError(error, description)
  if (error instanceof TypeError) {
    return new AiError.InvalidResponseError({
      description: `the answer is not in the provider's format: ${description}`,
    })
  }
  return new AiError.UnknownError({ description })
}

/** The error of `effect/ai` for what a provider threw, or for the error part of its stream. */
export const aiSdkError = (
  error: unknown,
  { method, now, provider, redact = (text: string) => text }: {
    readonly method: string
    readonly now: number
    readonly provider: string
    readonly redact?: ((text: string) => string) | undefined
  },
): AiError.AiError => AiError.make({ module: `AiSdk/${provider}`, method, reason: reasonOf(error, redact, now) })

/** The wait that a provider asks for; every error with a response has its headers. */
export const retryAfterOf = ({ reason }: AiError.AiError, now: number): Duration.Duration | undefined => {
  if ("retryAfter" in reason && reason.retryAfter !== undefined) return reason.retryAfter
  const headers = "http" in reason ? reason.http?.response?.headers : undefined
  return headers === undefined ? undefined : retryAfterOfHeaders(headersOf({ responseHeaders: headers }), now)
}
