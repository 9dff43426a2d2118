/**
 * Refuses requests to the MCP route for other hosts or from other web pages, and answers preflights of allowed pages.
 * Source: MCP 2025-11-25, Transports, "Security Warning".
 */
import { type Cors, type CorsOptions, makeCors } from "../server/makeCors.ts"
import { McpRejection } from "./McpRejection.ts"

/** Hosts and origins whose requests the MCP route answers. */
export interface McpHosts {
  /**
   * Hosts that requests may be for: names or addresses, with a port or for any port. A web page whose name was pointed
   * at this machine (DNS rebinding) sends its own host. Default: `localhost`, `127.0.0.1` and `[::1]`, on any port.
   */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /** Web pages that may use the route, besides those of the host itself. Default: none. */
  readonly cors?: CorsOptions | undefined
}

export interface HostCheck {
  /** The rejection of a request; `undefined` if its host and its origin are allowed. */
  readonly reject: (request: Request) => McpRejection | undefined
  readonly preflight: (request: Request) => Response | undefined
  /** Headers that let a page of an allowed origin read a response. */
  readonly headers: (request: Request) => ReadonlyArray<readonly [name: string, value: string]>
}

/** Names and addresses of the loopback interface. */
export const loopbackHosts: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

const withoutPort = (host: string): string => host.replace(/:\d+$/, "")

/** Makes a predicate for requests to one of these hosts: names or addresses, with a port or for any port. */
export const isForHosts = (hosts: ReadonlyArray<string>): (request: Request) => boolean => {
  const known = new Set(hosts.map((host) => host.toLowerCase()))
  return (request) => {
    const host = hostOf(request)
    return known.has(host) || known.has(withoutPort(host))
  }
}

/** The host that a request is for, in lower case, with its port if it has one. */
export const hostOf = ({ headers, url }: Request): string => (headers.get("host") ?? new URL(url).host).toLowerCase()

const corsHeaderNames = {
  allowed: [
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
  ],
  exposed: ["mcp-protocol-version", "mcp-session-id", "retry-after", "www-authenticate"],
}

const isOwnOrigin = (request: Request, origin: string): boolean => {
  const host = hostOf(request)
  return [`http://${host}`, `https://${host}`].includes(origin.toLowerCase())
}

export const makeHostCheck = ({ allowedHosts = loopbackHosts, cors: options }: McpHosts): HostCheck => {
  const isAllowedHost = isForHosts(allowedHosts)
  const cors: Cors = makeCors(options, corsHeaderNames)
  return {
    reject: (request) => {
      if (!isAllowedHost(request)) return new McpRejection(404, "this host is not allowed")
      const origin = request.headers.get("origin")
      return origin === null || isOwnOrigin(request, origin) || cors.isAllowed(origin)
        ? undefined
        : new McpRejection(403, "this origin is not allowed")
    },
    preflight: ({ headers, method }) => {
      const isPreflight = method === "OPTIONS" && headers.has("access-control-request-method")
      const answer = isPreflight ? cors.preflight(headers.get("origin"), "POST, DELETE") : undefined
      return answer && new Response(null, { status: 204, headers: answer })
    },
    headers: ({ headers }) => cors.headers(headers.get("origin")),
  }
}
