/**
 * Makes the leaf of the Http branch that requests URLs over the network, under a policy: it checks each host by name
 * and by address, again at each redirect.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { type NodeBuiltins, nodeBuiltins } from "../base/nodeBuiltins.ts"
import type { OptionError } from "../base/OptionError.ts"
import { missingInRuntime } from "../base/requireBuiltins.ts"
import { GivenSecrets } from "../command/GivenSecrets.ts"
import { referenceOf, reveal } from "../command/plain/secret.ts"
import { makePrivateAddressCheck, makePublicAddressCheck } from "../net/publicAddress.ts"
import { type RedirectedRequest, redirectOf } from "../net/redirectOf.ts"
import { syntaxProblem } from "../net/syntaxProblem.ts"
import { BodyLimitError, sendPinned } from "../net/sendPinned.ts"
import { readReference } from "../secrets/readReference.ts"
import { Secrets, type SecretsService } from "../secrets/Secrets.ts"
import { Fetch, type FetchService } from "./Fetch.ts"
import { type CompiledFetchPolicy, compileFetchPolicy, type FetchPolicy } from "./FetchPolicy.ts"
import { httpFault } from "./HttpBranch.ts"
import { type HttpFault, type HttpFetch, HttpResponse } from "./HttpEntry.ts"

/** Options of a leaf. */
export interface FetchLeafOptions extends FetchPolicy {
  /**
   * Headers with credentials by origin: `{ "https://api.example.org": { authorization: key } }`. A reference to a
   * secret is read for each request from the `Secrets` with which the leaf is made; an Effect is also run for each
   * request. Default: none.
   */
  readonly credentials?:
    | Readonly<Record<string, Readonly<Record<string, Credential>>>>
    | undefined
  /**
   * Whether a request may have a secret that its `secretHeaders` refer to, for this URL. Requests that come from elsewhere (a
   * journal) name any. Default: none may.
   */
  readonly allowSecret?: ((name: string, url: URL) => boolean) | undefined
  /** Looks up the addresses of a host. Default: as the system does. */
  readonly resolve?: ((host: string) => Promise<ReadonlyArray<string>>) | undefined
}

interface Leaf {
  readonly policy: CompiledFetchPolicy
  readonly process: NodeBuiltins
  readonly resolve: (host: string) => Promise<ReadonlyArray<string>>
  readonly credentials: NonNullable<FetchLeafOptions["credentials"]>
  readonly allowSecret: NonNullable<FetchLeafOptions["allowSecret"]>
  readonly secrets: SecretsService | undefined
}

type Credential = Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>, unknown>

/** Headers that a request may not have: credentials, and those that decide where a message ends or which server answers. */
const refusedHeader =
  /^(authorization|cookie2?|proxy-.*|host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect)$/i

const credentialHeader = /^(authorization|cookie)$/i

const invalidity = (
  { body, headers, method, secretHeaders = {}, url }: HttpFetch,
  maxBytes: number,
): string | undefined => {
  if (!URL.canParse(url)) return "this is not a URL"
  const secretNames = Object.keys(secretHeaders)
  const others = secretNames.filter((name) => !credentialHeader.test(name))
  const refused = [...Object.keys(headers), ...others].find((name) => refusedHeader.test(name))
  if (refused !== undefined) {
    return `the header ${refused} is set by the leaf; give credentials to the leaf, or a reference in secretHeaders`
  }
  if (body !== undefined && body.length > maxBytes) return `the body is longer than ${maxBytes} bytes`
  return syntaxProblem(method, { ...headers, ...Object.fromEntries(secretNames.map((name) => [name, ""])) })
}

const decide = (leaf: Leaf, request: HttpFetch, url: URL, method: string) =>
  Effect.gen(function* () {
    const refusal = leaf.policy.refusal(url, method)
    if (refusal !== undefined) return yield* Effect.fail(httpFault(request, "NotAllowed", refusal))
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const isAddress = leaf.process.getBuiltinModule("node:net").isIP(host) !== 0
    const addresses = isAddress ? [host] : yield* Effect.tryPromise({
      try: () => leaf.resolve(host),
      catch: (error) => httpFault(request, "Unreachable", `${host} was not found (${errorMessage(error)})`),
    })
    if (addresses.length === 0) return yield* Effect.fail(httpFault(request, "Unreachable", `${host} has no address`))
    const closed = leaf.policy.addressRefusal(url, addresses)
    return closed === undefined ? addresses : yield* Effect.fail(httpFault(request, "NotAllowed", closed))
  })

/** The text of a header with a secret. A token for `authorization` from a reference gets a scheme if it lacks one. */
const secretText = (
  { secrets }: Leaf,
  request: HttpFetch,
  url: URL,
  name: string,
  given: Redacted.Redacted<string>,
): Effect.Effect<string, HttpFault> => {
  const missing = (why: string): HttpFault => httpFault(request, "Broken", `there is no ${name}: ${why}`)
  const reference = referenceOf(given)
  if (reference === undefined) {
    const value = reveal(given)
    if (value === undefined) return Effect.fail(missing("a journal has no values"))
    return Effect.map(GivenSecrets, (tell) => {
      // An answer may repeat the token without the scheme.
      for (const part of new Set([value, value.slice(value.indexOf(" ") + 1)])) tell({ value: part, label: name })
      return value
    })
  }
  if (secrets === undefined) return Effect.fail(missing(`no Secrets service is provided to read ${reference}`))
  return readReference(secrets, reference, { purpose: url.host }).pipe(
    Effect.mapError(({ message }) => missing(message)),
    Effect.map((secret) => {
      const value = Redacted.value(secret)
      return /^authorization$/i.test(name) && !value.includes(" ") ? `Bearer ${value}` : value
    }),
  )
}

/** The headers of one hop: the request's secrets go only to its own origin, the leaf's only to theirs. */
const headersFor = (leaf: Leaf, request: HttpFetch, url: URL): Effect.Effect<Record<string, string>, HttpFault> =>
  Effect.gen(function* () {
    const headers: Record<string, string> = { ...request.headers }
    const own = url.origin === new URL(request.url).origin ? request.secretHeaders ?? {} : {}
    for (const [name, given] of Object.entries(own)) {
      const [secret] = referenceOf(given)?.split("#") ?? []
      if (secret !== undefined && !leaf.allowSecret(secret, url)) {
        const what = `the secret ${quote(secret)} may not be sent to ${url.origin}`
        return yield* Effect.fail(httpFault(request, "NotAllowed", what))
      }
      headers[name] = yield* secretText(leaf, request, url, name, given)
    }
    for (const [name, given] of Object.entries(leaf.credentials[url.origin] ?? {})) {
      const secret = Effect.isEffect(given)
        ? yield* Effect.mapError(given, () => httpFault(request, "Broken", `there is no ${name}: its Effect failed`))
        : given
      headers[name] = yield* secretText(leaf, request, url, name, secret)
    }
    return headers
  })

const follow = (leaf: Leaf, request: HttpFetch): Effect.Effect<HttpResponse, HttpFault> =>
  Effect.gen(function* () {
    const { policy } = leaf
    const invalid = invalidity(request, policy.maxBytes)
    if (invalid !== undefined) return yield* Effect.fail(httpFault(request, "InvalidRequest", invalid))
    const maxBytes = Math.min(request.maxBytes ?? policy.maxBytes, policy.maxBytes)
    let asked: RedirectedRequest = { url: new URL(request.url), method: request.method, body: request.body }
    for (let count = 0; count <= policy.maxRedirects; count++) {
      const { body, method, url } = asked
      const addresses = yield* decide(leaf, request, url, method)
      const headers = yield* headersFor(leaf, request, url)
      const response = yield* Effect.tryPromise({
        try: (signal) => sendPinned(leaf.process, { url, method, headers, body, addresses, maxBytes }, signal),
        catch: (error) =>
          error instanceof BodyLimitError
            ? httpFault(request, "TooLarge", error.message)
            : httpFault(request, "Unreachable", `${url.host} did not answer (${errorMessage(error)})`),
      })
      const next = redirectOf(asked, response)
      if (next === undefined) {
        return HttpResponse.make({ correlationId: request.correlationId, url: url.href, ...response })
      }
      asked = next
    }
    return yield* Effect.fail(
      httpFault(
        request,
        "TooManyRedirects",
        `more than ${policy.maxRedirects} redirects, the last to ${asked.url.origin}`,
      ),
    )
  })

/** Makes the service. Fails with an `OptionError` for an invalid policy. A runtime without sockets is a defect. */
export const make = (
  { allowSecret = () => false, credentials = {}, resolve, ...policy }: FetchLeafOptions,
): Effect.Effect<FetchService, OptionError> =>
  Effect.gen(function* () {
    const process = nodeBuiltins()
    const isPublic = makePublicAddressCheck()
    const isPrivate = makePrivateAddressCheck()
    if (process === undefined || isPublic === undefined || isPrivate === undefined) {
      return yield* Effect.die(missingInRuntime("FetchLeaf", "sockets"))
    }
    const compiled = yield* attemptOptions(() => compileFetchPolicy(policy, isPublic, isPrivate))
    const lookup = async (host: string) => {
      const found = await process.getBuiltinModule("node:dns/promises").lookup(host, { all: true })
      return found.map(({ address }) => address)
    }
    const secrets = Option.getOrUndefined(yield* Effect.serviceOption(Secrets))
    const leaf: Leaf = { policy: compiled, process, credentials, allowSecret, secrets, resolve: resolve ?? lookup }
    return {
      request: (request) =>
        Stream.fromEffect(Effect.timeoutOrElse(follow(leaf, request), {
          duration: compiled.timeoutMillis,
          orElse: () => Effect.fail(httpFault(request, "Timeout", `no response within ${compiled.timeoutMillis} ms`)),
        })),
    }
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { Fetch, FetchLeaf } from "@sluice/shell/fetch"
 * import { Effect } from "effect"
 *
 * const get = Fetch.send("https://example.org/", { method: "DELETE" }).pipe(Effect.flip)
 * const fault = await Effect.runPromise(Effect.provide(get, FetchLeaf.layer({ hosts: ["example.org"] })))
 * console.log(fault.message) // DELETE https://example.org/: the method is not one of GET, HEAD
 * ```
 */
export const layer = (options: FetchLeafOptions): Layer.Layer<Fetch, OptionError> => Layer.effect(Fetch, make(options))
