/**
 * Pages of other sites that may use the route.
 *
 * Source: Fetch Standard, "CORS protocol" (https://fetch.spec.whatwg.org/#http-cors-protocol).
 *
 * @module
 */
import { responseHeaders } from "./headers.ts"

/** Which pages may use the route. */
export interface Cors {
  /** Origins such as `"https://console.example"`; `"*"` for all. */
  readonly origins: ReadonlyArray<string>
}

const exposed = [
  "location",
  "retry-after",
  "sluice-replayed",
  "sluice-rights",
  "sluice-wire-version",
  "x-request-id",
].join(", ")

const allowed = "authorization, content-type, last-event-id, sluice-wire-version, x-request-id"

const isAllowed = ({ origins }: Cors, origin: string): boolean => origins.includes("*") || origins.includes(origin)

/** Headers of an answer to a page of `origin`; none unless the page may read it. */
export const corsHeaders = (
  cors: Cors | undefined,
  origin: string | undefined,
): ReadonlyArray<readonly [name: string, value: string]> => {
  if (cors === undefined) return []
  const vary = ["vary", "origin"] as const
  if (origin === undefined || !isAllowed(cors, origin)) return [vary]
  return [vary, ["access-control-allow-origin", origin], ["access-control-expose-headers", exposed]]
}

/** The answer to a browser that asks before it sends a request; `undefined` when the page may send none. */
export const preflight = (
  cors: Cors | undefined,
  origin: string | undefined,
  methods: string,
): Response | undefined => {
  if (cors === undefined || origin === undefined || !isAllowed(cors, origin)) return undefined
  return new Response(null, {
    status: 204,
    headers: {
      ...responseHeaders,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": allowed,
      "access-control-max-age": "600",
    },
  })
}
