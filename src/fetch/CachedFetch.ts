/**
 * Wraps the `Fetch` of the context with a private cache in memory: fresh responses are not requested, stale ones are
 * validated by their ETag or Last-Modified.
 *
 * Source: RFC 9111. No library fits: these read the time of the system and know no bounds of bytes.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type OptionError, requireCount } from "../base/OptionError.ts"
import { requestOne } from "../branch/requestOne.ts"
import { Fetch, type FetchService } from "./Fetch.ts"
import type { HttpFetch, HttpResponse } from "./HttpEntry.ts"

/**
 * Options of a cache.
 *
 * @stability experimental
 */
export interface CachedFetchOptions {
  /** Bytes of the bodies that are kept; the oldest used go first. Default: 16,777,216. */
  readonly maxBytes?: number | undefined
}

interface Stored {
  readonly response: HttpResponse
  /** The headers of the request that Vary names. */
  readonly varied: string
  /** When it was received, or validated. */
  readonly at: number
}

/** Bytes that a response without a body counts for. */
const overhead = 1_000

const directives = ({ headers }: { readonly headers: Readonly<Record<string, string>> }): ReadonlyMap<string, string> =>
  new Map(
    (headers["cache-control"] ?? "").toLowerCase().split(",").map((each) => {
      const [name = "", value = ""] = each.trim().split("=")
      return [name, value.replaceAll('"', "")]
    }),
  )

/** The headers of a request that a response depends on; `undefined` where it depends on all. */
const variedBy = ({ headers: asked }: HttpFetch, { headers }: HttpResponse): string | undefined => {
  const names = (headers["vary"] ?? "").toLowerCase().split(",").map((name) => name.trim()).filter((name) =>
    name !== ""
  )
  if (names.includes("*")) return undefined
  const given = new Map(Object.entries(asked).map(([name, value]) => [name.toLowerCase(), value]))
  return JSON.stringify(names.toSorted().map((name) => [name, given.get(name) ?? null]))
}

/** Milliseconds for which a response is fresh, from when it was received. */
const lifetime = (response: HttpResponse, at: number): number => {
  const control = directives(response)
  if (control.has("no-cache")) return 0
  const age = Number(response.headers["age"] ?? 0)
  const maxAge = control.get("max-age")
  if (maxAge !== undefined) return /^\d+$/.test(maxAge) ? (Number(maxAge) - (age > 0 ? age : 0)) * 1_000 : 0
  const expires = Date.parse(response.headers["expires"] ?? "")
  const date = Date.parse(response.headers["date"] ?? "")
  return Number.isNaN(expires) ? 0 : expires - (Number.isNaN(date) ? at : date)
}

const validators = ({ headers }: HttpResponse): Readonly<Record<string, string>> => ({
  ...(headers["etag"] === undefined ? undefined : { "if-none-match": headers["etag"] }),
  ...(headers["last-modified"] === undefined ? undefined : { "if-modified-since": headers["last-modified"] }),
})

const isStorable = (response: HttpResponse, at: number): boolean =>
  /^(200|203|204|300|301|308|404|405|410|414|501)$/.test(String(response.status)) &&
  !directives(response).has("no-store") &&
  (lifetime(response, at) > 0 || Object.keys(validators(response)).length > 0)

/** Wraps a service. */
const cached = (web: FetchService, maxBytes: number): FetchService => {
  const stored = new Map<string, Stored>()
  let bytes = 0
  const drop = (url: string): void => {
    const old = stored.get(url)
    if (old === undefined) return
    bytes -= old.response.body.length + overhead
    stored.delete(url)
  }
  const keep = (url: string, entry: Stored): void => {
    drop(url)
    stored.set(url, entry)
    bytes += entry.response.body.length + overhead
    for (const [oldest] of stored) {
      if (bytes <= maxBytes) break
      drop(oldest)
    }
  }
  const isConditional = ({ headers }: HttpFetch) => Object.keys(headers).some((name) => /^(if-|range$)/i.test(name))
  const get = (request: HttpFetch) =>
    Effect.gen(function* () {
      const { correlationId, url } = request
      const old = stored.get(url)
      const known = old !== undefined && variedBy(request, old.response) === old.varied ? old : undefined
      const asked = directives(request)
      const now = yield* Clock.currentTimeMillis
      const renamed = (response: HttpResponse): HttpResponse => ({ ...response, correlationId, fromCache: true })
      const tooLarge = request.maxBytes !== undefined && (known?.response.body.length ?? 0) > request.maxBytes
      if (
        known !== undefined && !tooLarge && !asked.has("no-cache") &&
        now - known.at < lifetime(known.response, known.at)
      ) {
        keep(url, known)
        return renamed(known.response)
      }
      const conditions = known === undefined || tooLarge ? {} : validators(known.response)
      const response = yield* requestOne(web, { ...request, headers: { ...request.headers, ...conditions } })
      const at = yield* Clock.currentTimeMillis
      if (response.status === 304 && known !== undefined) {
        const validated = { ...known.response, headers: { ...known.response.headers, ...response.headers } }
        keep(url, { ...known, response: validated, at })
        return renamed(validated)
      }
      const varied = variedBy(request, response)
      drop(url)
      if (varied !== undefined && !asked.has("no-store") && isStorable(response, at)) {
        keep(url, { response, varied, at })
      }
      return response
    })
  return {
    request: (request) => {
      if (request.method === "GET" && !isConditional(request)) return Stream.fromEffect(get(request))
      // What is not safe may have changed what is there.
      const isSafe = /^(GET|HEAD|OPTIONS)$/.test(request.method)
      return web.request(request).pipe(Stream.tap(() => Effect.sync(() => isSafe || drop(request.url))))
    },
  }
}

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
 * const layer = CachedFetch.layer().pipe(Layer.provide(web))
 * console.assert((await Effect.runPromise(Effect.provide(twice, layer))).fromCache === true)
 * ```
 *
 * @stability experimental
 */
export const layer = (options: CachedFetchOptions = {}): Layer.Layer<Fetch, OptionError, Fetch> =>
  Layer.effect(
    Fetch,
    Effect.gen(function* () {
      const maxBytes = yield* attemptOptions(() =>
        requireCount("CachedFetch", "maxBytes", options.maxBytes ?? 16_777_216, 0)
      )
      return cached(yield* Fetch, maxBytes)
    }),
  )
