/**
 * Who may do what: whoever has a token, what the token allows.
 *
 * Source: RFC 6750 (https://www.rfc-editor.org/rfc/rfc6750), sections 2.1 and 3.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import { Allowance } from "./Allowance.ts"
import { Places } from "./Places.ts"
import { type Refusal, refuse } from "./problem.ts"

/** What a token may allow: to look, to run commands and feed them, to end them. */
export type Right = "read" | "run" | "cancel"

/** One token of several, and what it allows. */
export interface TokenOptions {
  /** What it is called in logs. */
  readonly name: string
  /** What a client must send as `Authorization: Bearer <token>`: printable ASCII without spaces. */
  readonly token: string | Redacted.Redacted<string>
  /** Default: all. */
  readonly rights?: ReadonlyArray<Right> | undefined
  /** The most commands that it runs at once. Default: as many as the route. */
  readonly maxConcurrent?: number | undefined
  /** The most requests that it makes in a time; as many at once, and then evenly. Default: no limit. */
  readonly rate?: { readonly requests: number; readonly per: Duration.Input } | undefined
}

/** Who may run commands. There is no default: leaving the door open has to be said. */
export type Access =
  | {
    /** What a client must send as `Authorization: Bearer <token>`: printable ASCII without spaces. It allows all. */
    readonly token: string | Redacted.Redacted<string>
    readonly tokens?: never
    readonly unauthenticated?: never
  }
  | {
    /** Several, each with limits of its own. Every one sees the commands of all. */
    readonly tokens: ReadonlyArray<TokenOptions>
    readonly token?: never
    readonly unauthenticated?: never
  }
  | {
    /** Anybody who can reach the route runs commands. For tests, and behind an authentication of your own. */
    readonly unauthenticated: true
    readonly token?: never
    readonly tokens?: never
  }

/** What whoever asks may do. */
export interface Grant {
  readonly name: string
  readonly rights: ReadonlySet<Right>
  readonly places: Places
  readonly allowance: Allowance | undefined
}

const everything: ReadonlyArray<Right> = ["read", "run", "cancel"]

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

const grantOf = ({ maxConcurrent, name, rate, rights = everything }: Omit<TokenOptions, "token">): Grant => ({
  name,
  rights: new Set(rights),
  places: new Places(maxConcurrent ?? Infinity),
  allowance: rate === undefined
    ? undefined
    : new Allowance(rate.requests, Duration.toMillis(Duration.fromInputUnsafe(rate.per))),
})

const textOf = (token: string | Redacted.Redacted<string>): string => {
  const text = typeof token === "string" ? token : Redacted.value(token)
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new TypeError("shellRoutes: the token must be printable ASCII without spaces, and not empty")
  }
  return text
}

const unauthorized = (challenge: string, detail: string): Refusal =>
  refuse(401, "unauthorized", detail, { headers: { "www-authenticate": challenge } })

const isGrant = (grant: Grant | Refusal): grant is Grant => "rights" in grant

/** Says what whoever sent this `Authorization` may do. */
export type Authenticate = (authorization: string | undefined) => Promise<Grant | Refusal>

/**
 * Makes the door: what it answers to a request is its grant, or why there is none.
 *
 * @throws TypeError when a token is missing, empty, or cannot be sent in a header, and when two are the same.
 */
export const authenticate = (access: Access): Authenticate => {
  if (access.token === undefined && access.tokens === undefined) {
    // Not for the type checker, but for callers that have none.
    if (access.unauthenticated !== true) throw new TypeError("shellRoutes: give a token, or unauthenticated: true")
    const anybody = grantOf({ name: "anybody" })
    return () => Promise.resolve(anybody)
  }
  const tokens = access.tokens ?? [{ name: "token", token: access.token }]
  const texts = tokens.map(({ token }) => textOf(token))
  if (texts.length === 0) throw new TypeError("shellRoutes: give a token, or unauthenticated: true")
  if (new Set(texts).size < texts.length) throw new TypeError("shellRoutes: two tokens are the same")
  const known = Promise.all(
    tokens.map(async (options, index) => ({ grant: grantOf(options), expected: await digest(texts[index] ?? "") })),
  )
  return async (authorization = "") => {
    const [, given] = /^bearer +(\S+) *$/i.exec(authorization) ?? []
    if (given === undefined) return unauthorized(`Bearer realm="sluice"`, "send authorization: Bearer <token>")
    const digested = await digest(given)
    let found: Grant | undefined
    // To the end also when it was found: the time must not tell which one it was.
    for (const { expected, grant } of await known) {
      if (equal(digested, expected)) found = grant
    }
    return found ?? unauthorized(`Bearer realm="sluice", error="invalid_token"`, "the token is not the right one")
  }
}

/** What a grant comes to for a request at a time that needs a right: why it is refused, or the grant. */
export const admitted = (grant: Grant | Refusal, right: Right, nowMillis: number): Grant | Refusal => {
  if (!isGrant(grant)) return grant
  const waitMillis = grant.allowance?.take(nowMillis) ?? 0
  if (waitMillis > 0) {
    return refuse(429, "too-many-requests", "as many requests as the token may make have been made", {
      headers: { "retry-after": String(Math.ceil(waitMillis / 1000)) },
    })
  }
  if (!grant.rights.has(right)) return refuse(403, "forbidden", `the token does not allow to ${right}`)
  return grant
}
