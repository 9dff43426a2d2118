/**
 * The leaf of the Http branch that requests URLs over the network, under a policy: each host is decided on by its name and by
 * the addresses that are connected to, again at each redirect.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../base/attemptOptions.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { type NodeBuiltins, nodeBuiltins } from "../base/nodeBuiltins.ts"
import { OptionError } from "../base/OptionError.ts"
import { referenceOf } from "../command/plain/secret.ts"
import { makePublicAddressCheck } from "../net/publicAddress.ts"
import { type RedirectedRequest, redirectOf } from "../net/redirects.ts"
import { syntaxProblem } from "../net/requestSyntax.ts"
import { BodyLimitError, sendPinned } from "../net/sendPinned.ts"
import { Fetch, type FetchService } from "./Fetch.ts"
import { type CompiledFetchPolicy, compileFetchPolicy, type FetchPolicy } from "./FetchPolicy.ts"
import { httpFault } from "./HttpBranch.ts"
import { type HttpFault, type HttpFetch, HttpResponse } from "./HttpEntry.ts"

/**
 * Options of a leaf.
 *
 * @stability experimental
 */
export interface FetchLeafOptions extends FetchPolicy {
  /**
   * Headers with credentials by origin: `{ "https://api.example.org": { authorization: key } }`; an Effect, such as of
   * `Secrets.get`, gives one for each request. Default: none.
   */
  readonly credentials?:
    | Readonly<
      Record<
        string,
        Readonly<Record<string, Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>, unknown>>>
      >
    >
    | undefined
  /** Looks up the addresses of a host. Default: as the system does. */
  readonly resolve?: ((host: string) => Promise<ReadonlyArray<string>>) | undefined
}

interface Leaf {
  readonly policy: CompiledFetchPolicy
  readonly process: NodeBuiltins
  readonly resolve: (host: string) => Promise<ReadonlyArray<string>>
  readonly credentials: NonNullable<FetchLeafOptions["credentials"]>
}

/** Headers that a request may not have: credentials, and those that decide where a message ends or which server answers. */
const refusedHeader =
  /^(authorization|cookie2?|proxy-.*|host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect)$/i

/** Describes a request that cannot be made; `undefined` for one that can. */
const invalidity = ({ body, headers, method, url }: HttpFetch, maxBytes: number): string | undefined => {
  if (!URL.canParse(url)) return "this is not a URL"
  const refused = Object.keys(headers).find((name) => refusedHeader.test(name))
  if (refused !== undefined) return `the header ${refused} is the leaf's; give credentials to the leaf`
  if (body !== undefined && body.length > maxBytes) return `the body is longer than ${maxBytes} bytes`
  return syntaxProblem(method, headers)
}

/** The addresses of a host that may be connected to. */
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
      const headers: Record<string, string> = { ...request.headers }
      for (const [name, given] of Object.entries(leaf.credentials[url.origin] ?? {})) {
        const value = Effect.isEffect(given)
          ? Effect.mapError(given, () => httpFault(request, "Broken", `there is no ${name}: its Effect failed`))
          : Effect.succeed(given)
        const secret = yield* value
        if (referenceOf(secret) !== undefined) {
          return yield* Effect.fail(
            httpFault(request, "Broken", `${name} is a reference: give the Effect of Secrets.get`),
          )
        }
        headers[name] = Redacted.value(secret)
      }
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
        `more than ${policy.maxRedirects} redirects, the last to ${asked.url.href}`,
      ),
    )
  })

/**
 * Makes the service. Fails with an `OptionError` for an invalid policy, and where the runtime has no sockets.
 *
 * @example
 * ```ts
 * import { Fetch, FetchLeaf } from "@sluice/shell/fetch"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const web = yield* FetchLeaf.make({ hosts: ["*.example.org"] })
 *   return yield* Effect.flip(Effect.provideService(Fetch.text("https://example.com/"), Fetch, web))
 * })
 * const { faultKind, message } = await Effect.runPromise(program)
 * console.log(faultKind === "NotAllowed" && message.includes("is not one of *.example.org")) // true
 * ```
 *
 * @stability experimental
 */
export const make = (
  { credentials = {}, resolve, ...policy }: FetchLeafOptions,
): Effect.Effect<FetchService, OptionError> =>
  Effect.gen(function* () {
    const process = nodeBuiltins()
    const isPublic = makePublicAddressCheck()
    if (process === undefined || isPublic === undefined) {
      return yield* Effect.fail(new OptionError("FetchLeaf", "FetchLeaf: this runtime has no sockets"))
    }
    const compiled = yield* attemptOptions(() => compileFetchPolicy(policy, isPublic))
    const lookup = async (host: string) => {
      const found = await process.getBuiltinModule("node:dns/promises").lookup(host, { all: true })
      return found.map(({ address }) => address)
    }
    const leaf: Leaf = { policy: compiled, process, credentials, resolve: resolve ?? lookup }
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
 *
 * @stability experimental
 */
export const layer = (options: FetchLeafOptions): Layer.Layer<Fetch, OptionError> => Layer.effect(Fetch, make(options))
