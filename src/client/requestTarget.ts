/** Resolves the address and the headers of a client's requests, and makes a `Request` for them. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { defined } from "../base/defined.ts"
import type { CommandId } from "../command/CommandId.ts"
import { referenceOf } from "../command/plain/secret.ts"
import { formatWireVersions, wireVersionHeader } from "../wire/version.ts"
import type { RemoteClientOptions } from "./RemoteClientOptions.ts"

export interface HttpRequestSpec {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below the URL of the routes, such as `"commands/c1"`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly commandId?: CommandId | undefined
  readonly accept?: string | undefined
  readonly contentType?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Statuses other than 2xx that are no error. */
  readonly statuses?: ReadonlyArray<number> | undefined
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
  /** Milliseconds until the answer must begin; `Infinity` to wait for ever. Default: the client's `idleTimeout`. */
  readonly withinMillis?: number | undefined
}

const notSendable = "the token or a header cannot be sent: it must be printable ASCII"

export interface RequestTarget {
  readonly base: URL
  readonly headers: Headers
  readonly token?: Effect.Effect<Redacted.Redacted<string>, unknown> | undefined
}

/** Resolves the address and the headers of all requests. Its failure quotes neither the token nor a password. */
export const resolveTarget = ({ headers, token, url }: RemoteClientOptions): Result.Result<RequestTarget, string> => {
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
export const headersOf = ({ headers, token }: RequestTarget): Effect.Effect<Headers, string> =>
  token === undefined ? Effect.succeed(headers) : Effect.matchEffect(token, {
    onFailure: (error) =>
      Effect.fail(
        `there is no token: ${
          Predicate.isTagged(error, "SecretFault") && error instanceof Error ? error.message : "its Effect failed"
        }`,
      ),
    onSuccess: (secret) => Effect.fromResult(withToken(headers, secret)),
  })

export const makeRequest = (
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
  // The request contains a token, a command and its secrets, so it must only be sent to the caller's address.
  return new Request(url, {
    method,
    headers: allHeaders,
    signal,
    redirect: "manual",
    ...defined({ body }),
  })
}
