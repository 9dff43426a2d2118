/**
 * Declares the `Fetch` service, and operators that request URLs through it.
 *
 * Unlike with Effect's `HttpClient`, each request passes a network policy, is bounded, and can be journaled, sent to a
 * daemon and replayed.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { attemptRequest } from "../branch/attemptRequest.ts"
import { requestOne } from "../branch/requestOne.ts"
import type { RequestService } from "../branch/ServiceBranch.ts"
import { CommandId } from "../command/CommandId.ts"
import { httpFault } from "./HttpBranch.ts"
import { type HttpFault, HttpFetch, type HttpResponse } from "./HttpEntry.ts"

/** A service that requests URLs. */
export interface FetchService extends RequestService<HttpFetch, HttpResponse, HttpFault> {}

const Base: Context.ServiceClass<Fetch, "@sluice/shell/Fetch", FetchService> = Context.Service<Fetch, FetchService>()(
  "@sluice/shell/Fetch",
)

type Options = Partial<
  Pick<HttpFetch, "method" | "headers" | "secretHeaders" | "body" | "maxBytes" | "correlationId">
>

const requestTo = (url: string, options: Options): Effect.Effect<HttpFetch, HttpFault> =>
  attemptRequest(
    () => HttpFetch.make({ url, ...options }),
    (message) =>
      httpFault({ correlationId: CommandId.make(), method: "GET", url: String(url) }, "InvalidRequest", message),
  )

/**
 * Requests URLs. The layer decides how: over the network (`FetchLeaf`), through a cache, by a script.
 *
 * @example
 * ```ts
 * import { Fetch, FetchLeaf } from "@sluice/shell/fetch"
 * import { Effect } from "effect"
 *
 * // A loopback address is refused, whatever its host is called.
 * const program = Effect.flip(Fetch.text("http://localhost:1/"))
 * const fault = await Effect.runPromise(Effect.provide(program, FetchLeaf.layer({ hosts: ["*"] })))
 * console.log(fault.faultKind) // NotAllowed
 * ```
 */
export class Fetch extends Base {
  /** Requests a URL. A response of any status succeeds. */
  static send(
    url: string,
    options: Options = {},
  ): Effect.Effect<HttpResponse, HttpFault, Fetch> {
    return Effect.flatMap(
      requestTo(url, options),
      (request) => Effect.flatMap(Fetch, (web) => requestOne(web, request)),
    )
  }

  /** The text of a URL. A response of another status than 2xx fails. */
  static text(url: string): Effect.Effect<string, HttpFault, Fetch> {
    return Effect.gen(function* () {
      const request = yield* requestTo(url, {})
      const { body, status } = yield* requestOne(yield* Fetch, request)
      if (status >= 200 && status < 300) return new TextDecoder().decode(body)
      return yield* httpFault(request, "Broken", `the server answered with ${status}`)
    })
  }
}
