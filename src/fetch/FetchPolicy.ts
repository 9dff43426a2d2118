/** Decides which URLs may be requested: by scheme, method, host and the host's addresses. */
import { globMatcher } from "../base/globMatcher.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { type DurationInput, millisOf } from "../base/duration.ts"

/** The requests that are allowed. */
export interface FetchPolicy {
  /** Hosts that may be requested, as globs, with a port where it is not the scheme's: `example.org`, `*.example.org:8443`. */
  readonly hosts: ReadonlyArray<string>
  /**
   * The hosts among `hosts` that may resolve to addresses of this machine or of a private network; never to an address
   * at which clouds serve credentials, unless such an address is the host. Default: none.
   */
  readonly privateHosts?: ReadonlyArray<string> | undefined
  /** Methods. Default: `GET` and `HEAD`. */
  readonly methods?: ReadonlyArray<string> | undefined
  /** Schemes. Default: `https` and `http`. */
  readonly schemes?: ReadonlyArray<"https" | "http"> | undefined
  /** Bytes of a response's body, and of a request's. Default: 1,048,576. */
  readonly maxBytes?: number | undefined
  /** Redirects that are followed. Default: 5. */
  readonly maxRedirects?: number | undefined
  /** Time until a response is complete. Default: 30 s. */
  readonly timeout?: DurationInput | undefined
}

const names: Readonly<Record<keyof FetchPolicy, true>> = {
  hosts: true,
  privateHosts: true,
  methods: true,
  schemes: true,
  maxBytes: true,
  maxRedirects: true,
  timeout: true,
}

export interface CompiledFetchPolicy {
  readonly maxBytes: number
  readonly maxRedirects: number
  readonly timeoutMillis: number
  /** The reason why a URL may not be requested; `undefined` if it may. */
  readonly refusal: (url: URL, method: string) => string | undefined
  readonly addressRefusal: (url: URL, addresses: ReadonlyArray<string>) => string | undefined
}

export const compileFetchPolicy = (
  policy: FetchPolicy,
  isPublic: (address: string) => boolean,
  isPrivate: (address: string) => boolean,
): CompiledFetchPolicy => {
  refuseUnknownOptions("FetchLeaf", policy, names)
  if (!Array.isArray(policy.hosts)) throw new OptionError("hosts", 'FetchLeaf: hosts is a list: ["example.org"]')
  const hosts = policy.hosts.map((host) => globMatcher(host.toLowerCase()))
  const privateHosts = (policy.privateHosts ?? []).map((host) => globMatcher(host.toLowerCase()))
  const methods = policy.methods ?? ["GET", "HEAD"]
  const schemes: ReadonlyArray<string> = policy.schemes ?? ["https", "http"]
  return {
    maxBytes: requireCount("FetchLeaf", "maxBytes", policy.maxBytes ?? 1_048_576, { min: 0 }),
    maxRedirects: requireCount("FetchLeaf", "maxRedirects", policy.maxRedirects ?? 5, { min: 0 }),
    timeoutMillis: millisOf("timeout", policy.timeout ?? 30_000),
    refusal: (url, method) => {
      if (!schemes.includes(url.protocol.slice(0, -1))) {
        return `the scheme ${url.protocol} is not one of ${schemes.join(", ")}`
      }
      if (url.username !== "" || url.password !== "") return "a URL has no user and password"
      if (!methods.includes(method)) return `the method is not one of ${methods.join(", ")}`
      if (hosts.some((matches) => matches(url.host))) return undefined
      const port = url.port !== "" && hosts.some((matches) => matches(url.hostname)) ? "; name it with its port" : ""
      return `the host ${url.host} is not one of ${policy.hosts.join(", ")}${port}`
    },
    addressRefusal: (url, addresses) => {
      const isNamed = privateHosts.some((matches) => matches(url.host))
      const host = url.hostname.replace(/^\[|\]$/g, "")
      const isOpen = (address: string): boolean =>
        isPublic(address) || (isNamed && (address === host || isPrivate(address)))
      if (addresses.every(isOpen)) return undefined
      // The message omits the address, because the resolver may know names of its own network.
      return `the host ${url.host} has an address that is not on the public Internet (privateHosts)`
    },
  }
}
