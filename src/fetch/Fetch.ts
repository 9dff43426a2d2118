/**
 * The `Fetch` service, and operators that request URLs by the leaf of the context.
 *
 * Not Effect's `HttpClient`: each request passes a network policy, is bounded, and can be journaled, sent to a daemon and
 * replayed.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { requestOne } from "../branch/requestOne.ts"
import type { RequestService } from "../branch/ServiceBranch.ts"
import { httpFault } from "./HttpBranch.ts"
import { type HttpFault, HttpFetch, type HttpResponse } from "./HttpEntry.ts"

/** A service that requests URLs. */
export interface FetchService extends RequestService<HttpFetch, HttpResponse, HttpFault> {}

const Base: Context.ServiceClass<Fetch, "@sluice/shell/Fetch", FetchService> = Context.Service<Fetch, FetchService>()(
  "@sluice/shell/Fetch",
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
    options: Partial<Pick<HttpFetch, "method" | "headers" | "secretHeaders" | "body" | "maxBytes" | "correlationId">> =
      {},
  ): Effect.Effect<HttpResponse, HttpFault, Fetch> {
    return Effect.flatMap(Fetch, (web) => requestOne(web, HttpFetch.make({ url, ...options })))
  }

  /** The text of a URL. A response of another status than 2xx fails. */
  static text(url: string): Effect.Effect<string, HttpFault, Fetch> {
    return Effect.flatMap(Fetch, (web) => {
      const request = HttpFetch.make({ url })
      return Effect.flatMap(
        requestOne(web, request),
        ({ body, status }) =>
          status >= 200 && status < 300
            ? Effect.succeed(new TextDecoder().decode(body))
            : Effect.fail(httpFault(request, "Broken", `the server answered with ${status}`)),
      )
    })
  }
}
