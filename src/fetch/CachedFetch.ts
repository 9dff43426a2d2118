/**
 * Wraps the `Fetch` of the context with a private cache in memory: fresh responses come from it, stale ones are revalidated
 * by ETag or Last-Modified.
 *
 * Source: RFC 9111.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../base/attemptOptions.ts"
import { BoundedStore } from "./BoundedStore.ts"
import { type OptionError, requireCount } from "../base/OptionError.ts"
import { requestOne } from "../branch/requestOne.ts"
import * as Caching from "../net/caching.ts"
import { Fetch, type FetchService } from "./Fetch.ts"
import type { HttpFetch, HttpResponse } from "./HttpEntry.ts"

/** Options of a cache. */
export interface CachedFetchOptions {
  /** Maximum bytes of kept responses; the least recently used ones are dropped first. Default: 16,777,216. */
  readonly maxBytes?: number | undefined
}

interface Stored {
  readonly response: HttpResponse
  /** The headers of the request that Vary names. */
  readonly varied: string
  /** Time at which the response was received or validated. */
  readonly at: number
}

/** Bytes that are counted for each response in addition to its body and headers. */
const overhead = 500

const cached = (web: FetchService, maxBytes: number): FetchService => {
  const stored = new BoundedStore<Stored>(
    maxBytes,
    ({ response: { body, headers } }) => overhead + body.length + JSON.stringify(headers).length,
  )
  const get = (request: HttpFetch) =>
    Effect.gen(function* () {
      const { correlationId } = request
      const url = Caching.cacheKey(request.url)
      const old = stored.get(url)
      const known = old !== undefined && Caching.variedBy(request, old.response) === old.varied ? old : undefined
      const asked = Caching.directives(request)
      const now = yield* Clock.currentTimeMillis
      const renamed = (response: HttpResponse): HttpResponse => ({ ...response, correlationId, fromCache: true })
      const tooLarge = request.maxBytes !== undefined && (known?.response.body.length ?? 0) > request.maxBytes
      if (
        known !== undefined && !tooLarge && !asked.has("no-cache") &&
        now - known.at < Caching.lifetime(known.response, known.at)
      ) {
        stored.set(url, known)
        return renamed(known.response)
      }
      const conditions = known === undefined || tooLarge ? {} : Caching.validators(known.response)
      const response = yield* requestOne(web, { ...request, headers: { ...request.headers, ...conditions } })
      const at = yield* Clock.currentTimeMillis
      if (response.status === 304 && known !== undefined) {
        const validated = { ...known.response, headers: { ...known.response.headers, ...response.headers } }
        stored.set(url, { ...known, response: validated, at })
        return renamed(validated)
      }
      const varied = Caching.variedBy(request, response)
      stored.delete(url)
      // A redirect's target has its own freshness.
      const isOfUrl = Caching.cacheKey(response.url) === url
      if (isOfUrl && varied !== undefined && !asked.has("no-store") && Caching.isStorable(response, at)) {
        stored.set(url, { response, varied, at })
      }
      return response
    })
  return {
    request: (request) => {
      // A response to credentials belongs to one caller.
      if (Caching.isAnswerable(request) && request.secretHeaders === undefined) return Stream.fromEffect(get(request))
      // An unsafe method may have changed the resource.
      const forget = Effect.sync(() => Caching.isSafe(request) || stored.delete(Caching.cacheKey(request.url)))
      return web.request(request).pipe(Stream.tap(() => forget))
    },
  }
}

const defaultMaxBytes = 16_777_216

/**
 * The `Fetch` of the context behind a cache.
 *
 * @example
 * ```ts
 * import { CachedFetch, Fetch, MockFetch } from "@sluice/shell/fetch"
 * import { Effect, Layer } from "effect"
 *
 * const url = "https://example.org/"
 * const web = MockFetch.layer([{ url, text: "hello", headers: { "cache-control": "max-age=60" }, times: 1 }])
 * const twice = Effect.andThen(Fetch.send(url), Fetch.send(url))
 * const layer = CachedFetch.layer.pipe(Layer.provide(web))
 * console.log((await Effect.runPromise(Effect.provide(twice, layer))).fromCache) // true
 * ```
 */
export const layer: Layer.Layer<Fetch, never, Fetch> = Layer.effect(
  Fetch,
  Effect.map(Fetch, (web) => cached(web, defaultMaxBytes)),
)

/** {@link layer} with options. Fails with an `OptionError` for an invalid option. */
export const layerWith = (options: CachedFetchOptions): Layer.Layer<Fetch, OptionError, Fetch> =>
  Layer.effect(
    Fetch,
    Effect.gen(function* () {
      const maxBytes = yield* attemptOptions(() =>
        requireCount("CachedFetch", "maxBytes", options.maxBytes ?? defaultMaxBytes, { min: 0 })
      )
      return cached(yield* Fetch, maxBytes)
    }),
  )
