/**
 * The tokens of a server. Whatever serves the same tokens shares one of these.
 *
 * Source: RFC 6750 (https://www.rfc-editor.org/rfc/rfc6750), sections 2.1 and 3.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import type { TokenAccess, TokenOptions } from "./TokenAccess.ts"
import { TokenGrant } from "./TokenGrant.ts"

/** Why whoever asks is nobody. */
export class Unauthorized {
  readonly detail: string
  /** The value of `WWW-Authenticate`. */
  readonly challenge: string

  constructor(detail: string, challenge: string) {
    this.detail = detail
    this.challenge = challenge
  }
}

/** The tokens of a server. */
export interface Authenticator {
  /** What whoever sent this `Authorization` may do. */
  readonly authenticate: (authorization: string | null | undefined) => TokenGrant | Unauthorized
}

/** How long it takes depends on how long `given` is alone: not on the other, nor on where they differ. */
const equal = (given: string, expected: string): boolean => {
  let difference = given.length ^ expected.length
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at % expected.length)
  }
  return difference === 0
}

const textOf = ({ token }: TokenOptions): string => {
  const text = typeof token === "string" ? token : Redacted.value(token)
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new TypeError("tokens: a token must be printable ASCII without spaces, and not empty")
}

const missing = new Unauthorized("send authorization: Bearer <token>", `Bearer realm="sluice"`)
const unknown = new Unauthorized("the token is not the right one", `Bearer realm="sluice", error="invalid_token"`)

/**
 * Makes the tokens of a server.
 *
 * @throws TypeError when a token is missing, empty, or cannot be sent in a header, and when two are the same.
 */
export const makeAuthenticator = (access: TokenAccess): Authenticator => {
  if (access.token === undefined && access.tokens === undefined) {
    // Not for the type checker, but for callers that have none.
    if (access.unauthenticated !== true) throw new TypeError("tokens: give a token, or unauthenticated: true")
    const anybody = new TokenGrant({ name: "anybody" })
    return { authenticate: () => anybody }
  }
  const tokens = access.tokens ?? [{ name: "token", token: access.token }]
  const texts = tokens.map(textOf)
  if (texts.length === 0) throw new TypeError("tokens: give a token, or unauthenticated: true")
  if (new Set(texts).size < texts.length) throw new TypeError("tokens: two tokens are the same")
  const grants = tokens.map((options) => new TokenGrant(options))
  return {
    authenticate: (authorization) => {
      const [, given] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? []
      if (given === undefined) return missing
      // To the end also when it was found: the time must not tell which one it was.
      const matches = texts.map((expected) => equal(given, expected))
      return grants[matches.indexOf(true)] ?? unknown
    },
  }
}
