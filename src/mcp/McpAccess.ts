/**
 * Who may use a server over HTTP: whoever has a token, and comes by a name that is this server's.
 *
 * Source: RFC 6750 (https://www.rfc-editor.org/rfc/rfc6750), sections 2.1 and 3;
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 *
 * @module
 */
import * as Redacted from "effect/Redacted"

type Token = string | Redacted.Redacted<string>

/** Who may run commands. There is no default: leaving the door open has to be said. */
export type McpAccess =
  | {
    /**
     * What a client must send as `Authorization: Bearer <token>`: printable ASCII without spaces. Of several each has
     * sessions of its own: a session is known only to the token that began it.
     */
    readonly token: Token | ReadonlyArray<Token>
    readonly unauthenticated?: never
  }
  | {
    /** Anybody who can reach the route runs commands. For tests, and behind an authentication of your own. */
    readonly unauthenticated: true
    readonly token?: never
  }

/** By which names a server is reached. */
export interface McpNames {
  /**
   * Hosts that requests may be for: names or addresses, with a port or for any. A web page whose name was pointed at
   * this machine (DNS rebinding) sends its own. Default: `localhost`, `127.0.0.1` and `[::1]`, on any port.
   */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /** Origins of web pages that may send requests, beside those of the host itself. Default: none. */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
}

const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

const encoder = new TextEncoder()

// Digests have one length, so a comparison tells nothing about the token's.
const digest = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)))

/** Takes as long for digests that differ in their first byte as for those that are equal. */
const equal = (a: Uint8Array, b: Uint8Array): boolean => {
  let difference = a.length ^ b.length
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0)
  return difference === 0
}

const isSeveral = (u: Token | ReadonlyArray<Token>): u is ReadonlyArray<Token> => Array.isArray(u)

const textOf = (token: Token): string => {
  const text = typeof token === "string" ? token : Redacted.value(token)
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new TypeError("mcpRoutes: a token must be printable ASCII without spaces, and not empty")
}

/** A request that is turned away: the status, why, and the headers to say it with. */
export class Denied {
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.message = message
    this.headers = headers
  }
}

/** Who sent a request: the number of the token, or why it is turned away. */
export type Authenticate = (headers: Headers) => Promise<number | Denied>

/**
 * Makes the check of tokens.
 *
 * @throws TypeError when a token is missing, empty, or cannot be sent in a header.
 */
export const authenticate = (access: McpAccess): Authenticate => {
  if (access.token === undefined) {
    // Not for the type checker, but for callers that have none.
    if (access.unauthenticated !== true) throw new TypeError("mcpRoutes: give a token, or unauthenticated: true")
    return () => Promise.resolve(0)
  }
  const tokens = isSeveral(access.token) ? access.token : [access.token]
  if (tokens.length === 0) throw new TypeError("mcpRoutes: give a token, or unauthenticated: true")
  const expected = Promise.all(tokens.map(textOf).map(digest))
  return async (headers) => {
    const [, given] = /^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? []
    if (given === undefined) {
      return new Denied(401, "send authorization: Bearer <token>", { "www-authenticate": `Bearer realm="sluice"` })
    }
    const actual = await digest(given)
    // All are compared, so that the time does not tell which one was near.
    const found = (await expected).map((one) => equal(one, actual)).indexOf(true)
    return found >= 0 ? found : new Denied(401, "the token is not the right one", {
      "www-authenticate": `Bearer realm="sluice", error="invalid_token"`,
    })
  }
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, "")

/** Makes the check of names: answers why a request is turned away. */
export const checkNames = (names: McpNames): (request: Request) => Denied | undefined => {
  const hosts = new Set((names.allowedHosts ?? loopback).map((host) => host.toLowerCase()))
  const origins = new Set((names.allowedOrigins ?? []).map((origin) => origin.toLowerCase()))
  return ({ headers, url }) => {
    const host = (headers.get("host") ?? new URL(url).host).toLowerCase()
    if (!hosts.has(host) && !hosts.has(withoutPort(host))) return new Denied(403, "this host is not among the allowed")
    const origin = headers.get("origin")?.toLowerCase()
    const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`
    return isOwn || origins.has(origin) ? undefined : new Denied(403, "this origin is not among the allowed")
  }
}
