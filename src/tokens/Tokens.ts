/**
 * The tokens of a server. Whatever serves the same tokens shares one of these.
 *
 * Source: RFC 6750 (https://www.rfc-editor.org/rfc/rfc6750), sections 2.1 and 3.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import type { Access, TokenOptions } from "./Access.ts"
import { Grant } from "./Grant.ts"

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
export interface Tokens {
  /** What whoever sent this `Authorization` may do. */
  readonly find: (authorization: string | null | undefined) => Promise<Grant | Unauthorized>
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
export const makeTokens = (access: Access): Tokens => {
  if (access.token === undefined && access.tokens === undefined) {
    // Not for the type checker, but for callers that have none.
    if (access.unauthenticated !== true) throw new TypeError("tokens: give a token, or unauthenticated: true")
    const anybody = new Grant({ name: "anybody" })
    return { find: () => Promise.resolve(anybody) }
  }
  const tokens = access.tokens ?? [{ name: "token", token: access.token }]
  const texts = tokens.map(textOf)
  if (texts.length === 0) throw new TypeError("tokens: give a token, or unauthenticated: true")
  if (new Set(texts).size < texts.length) throw new TypeError("tokens: two tokens are the same")
  const grants = tokens.map((options) => new Grant(options))
  const digests = Promise.all(texts.map(digest))
  return {
    find: async (authorization) => {
      const [, given] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? []
      if (given === undefined) return missing
      const actual = await digest(given)
      // To the end also when it was found: the time must not tell which one it was.
      const matches = (await digests).map((expected) => equal(expected, actual))
      return grants[matches.indexOf(true)] ?? unknown
    },
  }
}
