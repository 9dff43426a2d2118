/** Declares the network policy of a kernel, and decides about requests by origin, method, path and address. */
import type * as Redacted from "effect/Redacted"
import { type DurationInput, millisOf } from "../../base/duration.ts"
import { globMatcher } from "../../base/globMatcher.ts"
import { OptionError, refuseUnknownOptions, requireCount, showValue } from "../../base/OptionError.ts"
import { quote } from "../../base/quote.ts"
import { isSecret, reveal } from "../../command/plain/secret.ts"

/** Requests to one origin that are allowed. */
export interface NetworkRule {
  /**
   * An origin: `https://example.org`, `http://localhost:8080`. `https://*.example.org` means all names below
   * `example.org`, `https://*` all names. An address must be listed itself, and may be of any network; `localhost` may
   * be this machine.
   */
  readonly origin: string
  /** Methods. Default: all. */
  readonly methods?: ReadonlyArray<string> | undefined
  /** Globs of paths, without the query; `*` is any characters, slashes too: `/repos/sluice/*`. Default: all. */
  readonly paths?: ReadonlyArray<string> | undefined
  /**
   * Whether the name may have addresses of this machine or of a private network; never those at which clouds serve
   * credentials. Default: `false`.
   */
  readonly privateAddresses?: boolean | undefined
  /** Headers that are added outside of the sandbox and replace those of the program, such as a token. Default: none. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted<string>>> | undefined
}

/** A decision about a request. */
export interface NetworkDecision {
  /** The method of the request. */
  readonly method: string
  /** Its URL, without user and password. */
  readonly url: string
  /** Whether it is sent. */
  readonly allowed: boolean
  /** The origin of the rule that allows it. */
  readonly rule?: string | undefined
  /** The addresses of the host, if this machine looks them up; a program does not get those of a refused request. */
  readonly addresses?: ReadonlyArray<string> | undefined
  /** The reason why it is refused. */
  readonly reason?: "NotAllowed" | "PrivateAddress" | undefined
  /** The reason as text for the program, without addresses. */
  readonly message?: string | undefined
}

/** The requests that programs may send: `curl`, `wget`, and WASI programs that import `host_network_fetch`. */
export interface NetworkPolicy {
  /** Allowed origins, or rules about them. The first rule that allows a request decides about its headers. */
  readonly origins: Iterable<string | NetworkRule>
  /**
   * Sends the requests. Default: sockets of the host, which connect to the checked addresses; without sockets, the
   * host's `fetch`, which looks up names by itself, so that addresses are not checked.
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Looks up the addresses of a name, for sockets. Default: as the system does. */
  readonly resolve?: ((host: string) => Promise<ReadonlyArray<string>>) | undefined
  /**
   * Receives each decision, also about each redirect. The request waits for it, and is not sent if it throws or rejects.
   * Default: none.
   */
  readonly onDecision?: ((decision: NetworkDecision) => void | PromiseLike<void>) | undefined
  /** Maximum number of concurrent requests; further ones fail. Default: 64. */
  readonly maxRequests?: number | undefined
  /** Maximum bytes of the headers of a request, and of a response. Default: 65,536. */
  readonly maxHeaderBytes?: number | undefined
  /**
   * Maximum bytes of a request's or a response's body. Default: 16,777,216 for a body held in memory; no limit for a
   * streamed one.
   */
  readonly maxBodyBytes?: number | undefined
  /**
   * Maximum time until the head of a response arrives; for WASI programs, until the response is complete. Default: 30
   * s.
   */
  readonly timeout?: DurationInput | undefined
}

const policyNames: Readonly<Record<keyof NetworkPolicy, true>> = {
  fetch: true,
  maxBodyBytes: true,
  maxHeaderBytes: true,
  maxRequests: true,
  onDecision: true,
  origins: true,
  resolve: true,
  timeout: true,
}

const ruleNames: Readonly<Record<keyof NetworkRule, true>> = {
  headers: true,
  methods: true,
  origin: true,
  paths: true,
  privateAddresses: true,
}

/** The kind of host in a rule's origin, which determines the allowed addresses. */
type HostKind = "address" | "localhost" | "name"

export interface CompiledRule {
  readonly origin: string
  readonly host: HostKind
  readonly matches: (url: URL) => boolean
  /** The reason why a request is refused; `undefined` if it is allowed. */
  readonly refusal: (url: URL, method: string) => string | undefined
  readonly privateAddresses: boolean
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Whether it allows only some methods, so that headers which override the method are refused. */
  readonly hasMethods: boolean
  /** Whether it allows only some paths, so that headers which override the path are refused. */
  readonly hasPaths: boolean
}

export interface CompiledPolicy {
  readonly rules: ReadonlyArray<CompiledRule>
  readonly maxRequests: number
  readonly maxHeaderBytes: number
  /** `undefined`: the default of each use. */
  readonly maxBodyBytes: number | undefined
  readonly timeoutMillis: number
}

export const isToken = (text: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(text)

/** Whether a value has no character that could end its line. */
// deno-lint-ignore no-control-regex -- a header's value has none but the tab
export const isHeaderValue = (text: string): boolean => !/[\x00-\x08\x0a-\x1f\x7f]/.test(text)

const option = "network.origins"

const invalidOrigin = (text: unknown): OptionError =>
  new OptionError(option, `Kernel: ${option}: ${showValue(text)} is not an origin such as https://example.org`)

const isAddress = (hostname: string): boolean => hostname.startsWith("[") || /^[\d.]+$/.test(hostname)

/**
 * Whether servers may interpret a path differently from the matcher; escapes that are not UTF-8 may be overlong dots.
 */
const isAmbiguous = (path: string): boolean => {
  if (/%(2f|3b|5c|2e|25|00)|\/\/|\.\.;/i.test(path)) return true
  try {
    decodeURIComponent(path)
    return false
  } catch {
    return true
  }
}

const compileOrigin = (text: unknown): Pick<CompiledRule, "origin" | "host" | "matches"> => {
  const [, scheme, below, rest = ""] = typeof text === "string"
    ? /^(https?:\/\/)\*(?:\.([^/*]+?))?(:\d+)?\/?$/.exec(text) ?? []
    : []
  const plain = scheme === undefined ? String(text) : `${scheme}${below ?? "example.org"}${rest}`
  const url = typeof text === "string" && URL.canParse(plain) ? new URL(plain) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) throw invalidOrigin(text)
  if (plain.includes("*")) throw invalidOrigin(text)
  if (scheme === undefined) {
    const host = isAddress(url.hostname) ? "address" : /(^|\.)localhost$/.test(url.hostname) ? "localhost" : "name"
    return { origin: url.origin, host, matches: ({ origin }) => origin === url.origin }
  }
  const suffix = below === undefined ? "" : `.${url.hostname}`
  return {
    origin: below === undefined ? `${scheme}*${rest}` : url.origin.replace("//", "//*."),
    host: "name",
    matches: ({ hostname, port, protocol }) =>
      protocol === url.protocol && port === url.port && !isAddress(hostname) && hostname.endsWith(suffix),
  }
}

const compileHeaders = (headers: NetworkRule["headers"] = {}): CompiledRule["headers"] =>
  Object.entries(headers).map(([name, given]) => {
    const value = typeof given === "string" || isSecret(given) ? reveal(given) : undefined
    if (isToken(name) && value !== undefined && isHeaderValue(value)) return [name, value]
    // The value may be a secret.
    throw new OptionError(
      `${option}.headers`,
      `Kernel: ${option}: the header ${quote(name)} has no valid name or value`,
    )
  })

const requireTexts = (name: string, list: unknown): void => {
  if (list === undefined || (Array.isArray(list) && list.every((each) => typeof each === "string"))) return
  throw new OptionError(`${option}.${name}`, `Kernel: ${option}: ${name} must be a list of strings`)
}

const compileRule = (given: string | NetworkRule): CompiledRule => {
  const rule: NetworkRule = typeof given === "string" ? { origin: given } : given
  refuseUnknownOptions(`Kernel: ${option}`, rule, ruleNames)
  const { headers, methods, paths, privateAddresses = false } = rule
  requireTexts("methods", methods)
  requireTexts("paths", paths)
  const compiled = compileOrigin(rule.origin)
  const globs = paths?.map(globMatcher)
  return {
    ...compiled,
    privateAddresses,
    headers: compileHeaders(headers),
    hasMethods: methods !== undefined,
    hasPaths: globs !== undefined,
    refusal: (url, method) => {
      if (methods?.includes(method) === false) return `${method} is not allowed for ${url.origin}`
      if (globs === undefined) return undefined
      if (isAmbiguous(url.pathname)) {
        return `the path ${quote(url.pathname)} is ambiguous, and ${url.origin} has rules about paths`
      }
      return globs.some((matches) => matches(url.pathname))
        ? undefined
        : `the path ${quote(url.pathname)} is not allowed for ${url.origin}`
    },
  }
}

/** Throws an `OptionError` for a part of the policy that is unknown or has an invalid value. */
export const compilePolicy = (policy: NetworkPolicy): CompiledPolicy => {
  refuseUnknownOptions("Kernel: network", policy, policyNames)
  const { maxBodyBytes, maxHeaderBytes = 65_536, maxRequests = 64, origins, timeout = 30_000 } = policy
  const count = (name: string, value: number, min: number): number =>
    requireCount("Kernel", `network.${name}`, value, { min })
  if (typeof origins !== "object" || !(Symbol.iterator in origins)) throw invalidOrigin(origins)
  return {
    rules: Array.from(origins, compileRule),
    maxRequests: count("maxRequests", maxRequests, 1),
    maxHeaderBytes: count("maxHeaderBytes", maxHeaderBytes, 1_024),
    maxBodyBytes: maxBodyBytes === undefined ? undefined : count("maxBodyBytes", maxBodyBytes, 0),
    timeoutMillis: millisOf("network.timeout", timeout),
  }
}

/** Methods that `fetch` also refuses: a server answers TRACE with the headers of the request, including added ones. */
const refusedMethod = /^(connect|trace|track)$/i

/** The rule that allows a request, or the reason why none does. */
export const findRule = (rules: ReadonlyArray<CompiledRule>, url: URL, method: string): CompiledRule | string => {
  if (refusedMethod.test(method)) return `the method ${method} is never allowed`
  const matching = /^https?:$/.test(url.protocol) ? rules.filter(({ matches }) => matches(url)) : []
  const refusals = matching.map((rule) => rule.refusal(url, method))
  return matching[refusals.indexOf(undefined)] ?? refusals[0] ?? `${url.origin} is not allowed`
}
