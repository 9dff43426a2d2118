/**
 * Who may run commands: whoever has the token.
 *
 * Source: RFC 6750 (https://www.rfc-editor.org/rfc/rfc6750), sections 2.1 and 3.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import type { MiddlewareHandler } from "hono"
import { problemResponse, refuse } from "./problem.ts"

/** Who may run commands. There is no default: leaving the door open has to be said. */
export type Access =
  | {
    /** What a client must send as `Authorization: Bearer <token>`: printable ASCII without spaces. */
    readonly token: string | Redacted.Redacted<string>
    readonly unauthenticated?: never
  }
  | {
    /** Anybody who can reach the route runs commands. For tests, and behind an authentication of your own. */
    readonly unauthenticated: true
    readonly token?: never
  }

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

const unauthorized = (challenge: string, detail: string): Response =>
  problemResponse(refuse(401, "unauthorized", detail, { headers: { "www-authenticate": challenge } }))

/**
 * A middleware that lets requests with the token pass.
 *
 * @throws TypeError when the token is missing, empty, or cannot be sent in a header.
 */
export const authenticate = (access: Access): MiddlewareHandler => {
  if (access.token === undefined) {
    // Not for the type checker, but for callers that have none.
    if (access.unauthenticated !== true) throw new TypeError("shellRoutes: give a token, or unauthenticated: true")
    return (_, next) => next()
  }
  const token = typeof access.token === "string" ? access.token : Redacted.value(access.token)
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError("shellRoutes: the token must be printable ASCII without spaces, and not empty")
  }
  const expected = digest(token)
  return async (c, next) => {
    const [, given] = /^bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "") ?? []
    if (given === undefined) return unauthorized(`Bearer realm="sluice"`, "send authorization: Bearer <token>")
    if (!equal(await digest(given), await expected)) {
      return unauthorized(`Bearer realm="sluice", error="invalid_token"`, "the token is not the right one")
    }
    return await next()
  }
}
