/** Calls the API of GitHub or GitLab through the `Fetch` of a leaf. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { encodeUtf8 } from "../base/bytes.ts"
import { firstIssue } from "../base/firstIssue.ts"
import { defined } from "../base/defined.ts"
import { requestOne } from "../branch/requestOne.ts"
import { type GivenSecret, GivenSecrets } from "../command/GivenSecrets.ts"
import type { FetchService } from "../fetch/Fetch.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import { HttpFetch, type HttpResponse } from "../fetch/HttpEntry.ts"
import { gitFault } from "./GitBranch.ts"
import type { GitFault, GitFaultKind, GitRequest } from "./GitEntry.ts"
import { refusalOf, transportFault } from "./hostFault.ts"

export interface Host {
  readonly web: FetchService
  readonly name: string
  /** The address of its API, without a slash at the end. */
  readonly base: string
  readonly root: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxBytes: number
  readonly maxItems: number
}

export interface HostCall {
  /** Default: GET, with a body POST. */
  readonly method?: "HEAD" | "PATCH"
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: object
  readonly accept?: string
}

const pageSize = 100

/** A path whose values are encoded, each as one segment: none is empty or leads up. */
export const apiPath = (parts: TemplateStringsArray, ...values: ReadonlyArray<string>): string =>
  String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value.toWellFormed())))

const urlOf = ({ base, root }: Host, path: string, query: HostCall["query"] = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  return `${base}${root}${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`
}

export const cleanPath = (path: string): string =>
  path.split("/").filter((part) => part !== "" && part !== ".").join("/")

/** Whether a path is one of `paths`, or below one. No paths: all. */
export const isBelow = (path: string, paths: ReadonlyArray<string>): boolean =>
  paths.length === 0 || paths.map(cleanPath).some((each) => each === "" || `${path}/`.startsWith(`${each}/`))

const nextOf = ({ headers }: HttpResponse): string | undefined =>
  /<([^<>]+)>\s*;(?:[^,<]*;)?\s*rel="?next"?/i.exec(headers["link"]?.slice(0, 10_000) ?? "")?.[1]

const maxPlace = 100

/** The path of the field of an answer that does not match its Schema, without its value. */
const placeOf = (error: unknown): string => {
  if (!Schema.isSchemaError(error)) return ""
  const { message, path } = firstIssue(error)
  const place = path.join(".").slice(0, maxPlace)
  return place === "" ? "" : ` (${place} is ${message === "Missing key" ? "missing" : "wrong"})`
}

/** The calls that answer one request. Their paths are below that of the repository, encoded by {@link apiPath}. */
export interface HostClient {
  readonly fail: (kind: GitFaultKind, what: string) => GitFault
  readonly send: (path: string, call?: HostCall) => Effect.Effect<HttpResponse, GitFault>
  readonly json: <A>(schema: Schema.Codec<A, unknown>, path: string, call?: HostCall) => Effect.Effect<A, GitFault>
  readonly list: <A>(
    item: Schema.Codec<A, unknown>,
    path: string,
    query?: HostCall["query"],
    count?: number,
  ) => Effect.Effect<ReadonlyArray<A>, GitFault>
  /** The content of a file, from base64 that may have line ends. */
  readonly contentOf: (base64: string) => Effect.Effect<Uint8Array, GitFault>
}

export const hostClient = (host: Host, request: GitRequest): HostClient => {
  const { base, maxBytes, maxItems, name, web } = host
  const fail: HostClient["fail"] = (kind, what) => gitFault(request, kind, what)
  const isOfApi = (url: string) => URL.canParse(url) && new URL(url).href.startsWith(`${base}/`)

  const ask = (url: string, call: HostCall, max: number) =>
    Effect.gen(function* () {
      const { accept, body, method = body === undefined ? "GET" : "POST" } = call
      // A cached response is revalidated, because a commit must be based on the current state.
      const cache = method === "GET" ? "no-cache" : undefined
      const more = defined({ accept, "cache-control": cache, "content-type": body && "application/json" })
      const headers = { ...host.headers, ...more }
      const sent = body === undefined ? undefined : { body: encodeUtf8(JSON.stringify(body)) }
      const fetch = HttpFetch.make({ url, method, headers, maxBytes: max, ...sent })
      const tell = yield* GivenSecrets
      const given: Array<GivenSecret> = []
      const response = yield* requestOne(web, fetch).pipe(
        Effect.mapError((fault) => transportFault(request, fault)),
        Effect.provideService(GivenSecrets, (secret) => {
          given.push(secret)
          tell(secret)
        }),
      )
      // An answer of another host does not count. A redirect may turn a changing request into a GET.
      if (!isOfApi(response.url) || (method !== "GET" && response.url !== new URL(url).href)) {
        const to = response.url.slice(0, 200)
        return yield* fail("Failed", `${name} redirects to ${to}: was the repository renamed?`)
      }
      if (response.status >= 200 && response.status < 300) return response
      const { text } = Redactor.secrets(given)
      return yield* refusalOf(request, { name, text }, response, yield* Clock.currentTimeMillis)
    })

  const decode = <A>(schema: Schema.Codec<A, unknown>, { body }: HttpResponse): Effect.Effect<A, GitFault> =>
    Effect.try(() => new TextDecoder("utf-8", { fatal: true }).decode(body)).pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(schema))),
      Effect.mapError((error) =>
        fail("Failed", `the response is not from the API of ${name}${placeOf(error)}: is ${base} its address?`)
      ),
    )

  const send: HostClient["send"] = (path, call = {}) => ask(urlOf(host, path, call.query), call, maxBytes)

  return {
    fail,
    send,
    json: (schema, ...call) => Effect.flatMap(send(...call), (response) => decode(schema, response)),
    list: (item, path, query, count = maxItems + 1) =>
      Effect.gen(function* () {
        const items: Array<typeof item.Type> = []
        let url: string | undefined = urlOf(host, path, { ...query, per_page: Math.min(pageSize, count) })
        let bytes = 0
        // A page may have fewer items than its maximum.
        for (let pages = 0; url !== undefined && items.length < count; pages++) {
          if (pages > 8 + 2 * Math.ceil(count / pageSize)) {
            return yield* fail("TooLarge", `${name} gives more pages than ${count} items need`)
          }
          if (!isOfApi(url)) return yield* fail("Failed", `the next page is not below ${base}: ${url.slice(0, 200)}`)
          const response: HttpResponse = yield* ask(url, {}, maxBytes - bytes)
          bytes += response.body.length
          items.push(...yield* decode(Schema.Array(item), response))
          url = nextOf(response)
        }
        if (items.length > maxItems) return yield* fail("TooLarge", `there are more than ${maxItems} (maxItems)`)
        return items.slice(0, count)
      }),
    contentOf: (base64) => {
      const bytes = Result.getOrUndefined(Base64.decode(base64.replace(/\s/g, "")))
      return bytes === undefined ? fail("Failed", "the content is not in base64") : Effect.succeed(bytes)
    },
  }
}
