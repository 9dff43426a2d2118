/**
 * By which names a server is reached over HTTP, and from which pages: no page may use a server of its reader's machine
 * that was not told of it.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning; Fetch Standard,
 * "CORS protocol" (https://fetch.spec.whatwg.org/#http-cors-protocol)
 *
 * @module
 */
import { McpRejection } from "./McpRejection.ts"

/** By which names a server is reached. */
export interface McpHosts {
  /**
   * Hosts that requests may be for: names or addresses, with a port or for any. A web page whose name was pointed at
   * this machine (DNS rebinding) sends its own. Default: `localhost`, `127.0.0.1` and `[::1]`, on any port.
   */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /**
   * Origins of web pages that may send requests and read the answers, beside those of the host itself: scheme, name and
   * port, as `https://app.example`. Default: none.
   */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
}

/** The names of one server. */
export interface HostCheck {
  /** Why a request is turned away. */
  readonly reject: (request: Request) => McpRejection | undefined
  /** The answer to a browser that asks before it sends a request for a page that may. */
  readonly preflight: (request: Request) => Response | undefined
  /** Headers that let a page of an allowed origin read an answer. */
  readonly headers: (request: Request) => ReadonlyArray<readonly [name: string, value: string]>
}

/** Hosts by which only this machine is reached. */
export const loopbackHosts: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

const withoutPort = (host: string): string => host.replace(/:\d+$/, "")

/** Makes a test whether a request is for one of these hosts: names or addresses, with a port or for any. */
export const isForHosts = (hosts: ReadonlyArray<string>): (request: Request) => boolean => {
  const known = new Set(hosts.map((host) => host.toLowerCase()))
  return (request) => {
    const host = hostOf(request)
    return known.has(host) || known.has(withoutPort(host))
  }
}

/** The host that a request is for, in lower case, with its port if it has one. */
export const hostOf = ({ headers, url }: Request): string => (headers.get("host") ?? new URL(url).host).toLowerCase()

const sent = [
  "accept",
  "authorization",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
].join(", ")

const exposed = "mcp-protocol-version, mcp-session-id, retry-after, www-authenticate"

/** Makes the check of names. */
export const makeHostCheck = ({ allowedHosts = loopbackHosts, allowedOrigins = [] }: McpHosts): HostCheck => {
  const isForUs = isForHosts(allowedHosts)
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()))
  const headersOf = ({ headers }: Request): ReadonlyArray<readonly [string, string]> => {
    if (origins.size === 0) return []
    const origin = headers.get("origin")
    const vary = ["vary", "origin"] as const
    return origin === null || !origins.has(origin.toLowerCase())
      ? [vary]
      : [vary, ["access-control-allow-origin", origin], ["access-control-expose-headers", exposed]]
  }
  return {
    reject: (request) => {
      if (!isForUs(request)) return new McpRejection(404, "this host is not among the allowed")
      const host = hostOf(request)
      const origin = request.headers.get("origin")?.toLowerCase()
      const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`
      return isOwn || origins.has(origin) ? undefined : new McpRejection(403, "this origin is not among the allowed")
    },
    preflight: (request) => {
      const { headers, method } = request
      const asks = method === "OPTIONS" && headers.has("access-control-request-method")
      if (!asks || !origins.has(headers.get("origin")?.toLowerCase() ?? "")) return undefined
      return new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": "POST, DELETE",
          "access-control-allow-headers": sent,
          "access-control-max-age": "600",
        },
      })
    },
    headers: headersOf,
  }
}
