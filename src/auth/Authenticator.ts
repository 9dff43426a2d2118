/** Authenticates requests by the bearer tokens of a server (RFC 6750, sections 2.1 and 3). */
import * as Redacted from "effect/Redacted"
import { OptionError } from "../base/OptionError.ts"
import type { TokenAccess, TokenOptions, TokenRight } from "./TokenAccess.ts"
import { TokenGrant } from "./TokenGrant.ts"

/**
 * The failure of an authentication: its reason, and the challenge to respond with.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 *
 * await using server = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const answer = server.sharedServices.authenticator.authenticate("Bearer wrong")
 * console.log("challenge" in answer && answer.challenge.startsWith("Bearer realm=")) // true
 * ```
 */
export class Unauthorized {
  /** The reason, for the caller. */
  readonly detail: string
  /** The value of `WWW-Authenticate`. */
  readonly challenge: string

  /** Made by an authenticator. */
  constructor(detail: string, challenge: string) {
    this.detail = detail
    this.challenge = challenge
  }
}

/** Authenticates requests by the tokens of a server. */
export interface Authenticator {
  /** The names of the tokens. */
  readonly names: ReadonlyArray<string>
  /** The grant of the token in the value of an `Authorization` header. */
  readonly authenticate: (authorization: string | null | undefined) => TokenGrant | Unauthorized
}

/** Compares in a time that depends on the length of `given` alone, not on `expected` or on where the two differ. */
const isEqual = (given: string, expected: string): boolean => {
  let difference = given.length ^ expected.length
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at % expected.length)
  }
  return difference === 0
}

const tokenText = ({ token }: TokenOptions): string => {
  const text = typeof token === "string" ? token : Redacted.value(token)
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new OptionError("token", "token: write printable ASCII without spaces, at least one character")
}

const noToken = (): OptionError => new OptionError("token", "token: give a token, or unauthenticated: true")

const missing = new Unauthorized("send authorization: Bearer <token>", `Bearer realm="sluice"`)
const unknown = new Unauthorized("the token is not valid", `Bearer realm="sluice", error="invalid_token"`)

/** The rights of a token that names none: those that commands need. Rights to files and approvals must be named. */
export const commandRights: ReadonlyArray<TokenRight> = ["read", "run", "cancel"]

/**
 * Makes an authenticator. `defaultRights` are the rights of a listed token that names none: those that the routes need.
 *
 * @throws {OptionError} when a token is missing, empty or cannot be sent in a header, and when two tokens are the same.
 */
export const makeAuthenticator = (
  access: TokenAccess,
  defaultRights: ReadonlyArray<TokenRight> = commandRights,
): Authenticator => {
  if (access.token === undefined && access.tokens === undefined) {
    // The type requires it, but plain JavaScript callers bypass types.
    if (access.unauthenticated !== true) throw noToken()
    const grant = new TokenGrant({ name: "anonymous" })
    return { names: [grant.name], authenticate: () => grant }
  }
  const tokens = access.tokens === undefined
    ? [{ name: "token", token: access.token }]
    : access.tokens.map((options) => ({ ...options, rights: options.rights ?? defaultRights }))
  const texts = tokens.map(tokenText)
  if (texts.length === 0) throw noToken()
  if (new Set(texts).size < texts.length) throw new OptionError("tokens", "tokens: two tokens are the same")
  const grants = tokens.map((options) => new TokenGrant(options))
  return {
    names: grants.map(({ name }) => name),
    authenticate: (authorization) => {
      const [, given] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? []
      if (given === undefined) return missing
      // Compares with all tokens, so that the time does not reveal which one matched.
      const matches = texts.map((expected) => isEqual(given, expected))
      return grants[matches.indexOf(true)] ?? unknown
    },
  }
}
