/** Checks the options that the leaves for GitHub and GitLab share, and makes the `FetchLeaf` options that carry the token. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { OptionError, requireCount } from "../base/OptionError.ts"
import { referenceOf, reveal } from "../command/plain/secret.ts"
import type { FetchLeafOptions } from "../fetch/FetchLeaf.ts"
import { isPlaintext } from "../wire/secrets.ts"
import type { Host } from "./hostClient.ts"

/** The address and token of a host. */
export interface HostAccess {
  /** The token, or an Effect that gives it for each request. */
  readonly token: Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>, unknown>
  /** The address of the API of your own host: `https:`, or `http:` on this machine. Its addresses may be private. */
  readonly url?: string | undefined
}

/** The address of an API. @throws {OptionError} for one that would be sent unencrypted. */
const requireApi = (who: string, url: string): URL => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new OptionError("url", `${who}: url is the address of the API: https://host/path`)
  }
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "" || parsed.hash !== "") {
    throw new OptionError("url", `${who}: url has no user, password, query or hash`)
  }
  if (isPlaintext(url)) throw new OptionError("url", `${who}: http: to ${parsed.host} is not encrypted: use https:`)
  return parsed
}

/** Options that leaves of hosts share. */
export interface HostGitOptions {
  /** The address of the API of your own host: `https:`, or `http:` on this machine. Default: the public one. */
  readonly url?: string | undefined
  /**
   * Maximum bytes of an answer, in which a file is a third longer; a larger answer fails with `TooLarge`. Default:
   * 4,194,304.
   */
  readonly maxBytes?: number | undefined
  /** Maximum number of branches, and of files in a list; more fail with `TooLarge`. Default: 10,000. */
  readonly maxItems?: number | undefined
}

export const requireHost = (
  who: string,
  { maxBytes = 4_194_304, maxItems = 10_000, url }: HostGitOptions,
  publicUrl: string,
): Pick<Host, "base" | "maxBytes" | "maxItems"> => ({
  base: requireApi(who, url ?? publicUrl).href.replace(/\/+$/, ""),
  maxBytes: Math.min(requireCount(who, "maxBytes", maxBytes, { min: 1 }), Number.MAX_SAFE_INTEGER),
  maxItems: requireCount(who, "maxItems", maxItems, { min: 1 }),
})

/** A token as a header. A reference to a secret is passed on as a reference, which `FetchLeaf` refuses by name. */
const bearer = (token: Redacted.Redacted<string>): Effect.Effect<Redacted.Redacted<string>, string> => {
  if (referenceOf(token) !== undefined) return Effect.succeed(token)
  const text = reveal(token) ?? ""
  // The runtime's error would quote the token.
  return /^[\x21-\x7e]+$/.test(text)
    ? Effect.succeed(Redacted.make(`Bearer ${text}`))
    : Effect.fail("the token has characters other than visible ASCII")
}

/** Options of a `FetchLeaf` that calls one host, with a token that is sent only to this host. @throws {OptionError} */
export const hostFetchOptions = (who: string, { token, url }: HostAccess, publicUrl: string): FetchLeafOptions => {
  const { host, origin } = requireApi(who, url ?? publicUrl)
  if (!Effect.isEffect(token) && !Redacted.isRedacted(token)) {
    throw new OptionError("token", `${who}: token is Redacted, or an Effect that gives it`)
  }
  const authorization = Effect.isEffect(token) ? Effect.flatMap(token, bearer) : bearer(token)
  return {
    hosts: [host],
    ...(url === undefined ? undefined : { privateHosts: [host] }),
    methods: ["GET", "HEAD", "POST", "PATCH"],
    maxBytes: 8_388_608,
    credentials: { [origin]: { authorization } },
  }
}
