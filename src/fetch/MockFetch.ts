/**
 * Makes the mock leaf of the Http branch, which answers requests by rules, for tests.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { encodeUtf8 } from "../base/bytes.ts"
import { globMatcher } from "../base/globMatcher.ts"
import { type ScriptedService, type ScriptOptions, scriptRequests } from "../branch/scriptRequests.ts"
import { Fetch } from "./Fetch.ts"
import { HttpBranch, httpFault } from "./HttpBranch.ts"
import { type HttpFault, type HttpFaultKind, type HttpFetch, HttpResponse } from "./HttpEntry.ts"

/** A rule by which the mock answers some requests. */
export interface MockFetchRule extends ScriptOptions {
  /** A glob for the URL. */
  readonly url: string
  /** Default: every method. */
  readonly method?: string | undefined
  /** Default: 200. */
  readonly status?: number | undefined
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body. Default: empty. */
  readonly text?: string | undefined
  /** The fault with which the request fails. Default: none. */
  readonly fault?: HttpFaultKind | undefined
}

/**
 * Makes a mock: the service, the requests it has seen, and the check of its expectations.
 *
 * @example
 * ```ts
 * import { Fetch, MockFetch } from "@sluice/shell/fetch"
 * import { Effect } from "effect"
 *
 * const web = MockFetch.make([{ url: "https://example.org/*", text: "hello", times: 2, expected: true }])
 * const program = Fetch.text("https://example.org/a").pipe(
 *   Effect.andThen(Effect.flip(web.verify)),
 *   Effect.provideService(Fetch, web),
 * )
 * const { message } = await Effect.runPromise(program)
 * console.log(message) // any request of https://example.org/* was expected 2 times, and was requested 1 times
 * ```
 */
export const make = (rules: ReadonlyArray<MockFetchRule>): ScriptedService<HttpFetch, HttpResponse, HttpFault> =>
  scriptRequests(
    HttpBranch,
    rules.map(({ fault, headers = {}, method, status = 200, text = "", url, ...options }) => {
      const isUrl = globMatcher(url)
      return {
        ...options,
        name: `${method ?? "any request"} of ${url}`,
        matches: (request) => isUrl(request.url) && (method === undefined || method === request.method),
        answer: (request) =>
          fault === undefined
            ? Effect.succeed(
              HttpResponse.make({
                correlationId: request.correlationId,
                url: request.url,
                status,
                headers,
                body: encodeUtf8(text),
              }),
            )
            : Effect.fail(httpFault(request, fault, "a rule of the mock fails this request")),
      }
    }),
  )

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { Fetch, MockFetch } from "@sluice/shell/fetch"
 * import { Effect } from "effect"
 *
 * const web = MockFetch.layer([{ url: "*", status: 404, text: "nothing here" }])
 * const response = await Effect.runPromise(Effect.provide(Fetch.send("https://example.org/"), web))
 * console.log(response.status, response.body.length) // 404 12
 * ```
 */
export const layer = (rules: ReadonlyArray<MockFetchRule>): Layer.Layer<Fetch> => Layer.succeed(Fetch, make(rules))
