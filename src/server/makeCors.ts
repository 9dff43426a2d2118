/** Decides which origins' web pages may use a route (https://fetch.spec.whatwg.org/#http-cors-protocol). */

/**
 * Web pages of other origins that may send requests and read the responses.
 *
 * @stability stable
 */
export interface CorsOptions {
  /** Origins such as `"https://console.example"`; `"*"` for all. */
  readonly origins: ReadonlyArray<string>
}

export interface CorsHeaderNames {
  readonly allowed: ReadonlyArray<string>
  readonly exposed: ReadonlyArray<string>
}

type Header = readonly [name: string, value: string]

export interface Cors {
  /** Whether pages of an origin may use the route. */
  readonly isAllowed: (origin: string) => boolean
  readonly headers: (origin: string | null | undefined) => ReadonlyArray<Header>
  /** Headers of the response to a preflight request; `undefined` if the page may not send the request. */
  readonly preflight: (
    origin: string | null | undefined,
    methods: string,
  ) => Readonly<Record<string, string>> | undefined
}

export const makeCors = (options: CorsOptions | undefined, names: CorsHeaderNames): Cors => {
  const origins = new Set(options?.origins.map((origin) => origin.toLowerCase()))
  const isAllowed = (origin: string): boolean => origins.has("*") || origins.has(origin.toLowerCase())
  return {
    isAllowed,
    headers: (origin) => {
      if (origins.size === 0) return []
      const vary: Header = ["vary", "origin"]
      return typeof origin !== "string" || !isAllowed(origin) ? [vary] : [
        vary,
        ["access-control-allow-origin", origin],
        ["access-control-expose-headers", names.exposed.join(", ")],
      ]
    },
    preflight: (origin, methods) =>
      typeof origin !== "string" || !isAllowed(origin) ? undefined : {
        "access-control-allow-methods": methods,
        "access-control-allow-headers": names.allowed.join(", "),
        "access-control-max-age": "600",
      },
  }
}
