/**
 * Decides which URLs may be requested: by scheme, method and host, and by the addresses that the name of the host has.
 *
 * Source: RFC 6890, "Special-Purpose IP Address Registries", and the registries of IANA.
 *
 * @module
 */
import { globMatcher } from "../base/globMatcher.ts"
import { nodeBuiltins } from "../base/nodeBuiltins.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { type DurationInput, millisOf } from "../base/duration.ts"

/**
 * What may be requested.
 *
 * @stability experimental
 */
export interface FetchPolicy {
  /** Hosts that may be asked, as globs, with a port where it is not the scheme's: `example.org`, `*.example.org:8443`. */
  readonly hosts: ReadonlyArray<string>
  /** Of these, the ones that may have addresses of this machine or of a private network. Default: none. */
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

/** Networks that are not the public Internet. */
const ipv4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`
/** All but global unicast, and of it what leads to IPv4 addresses (Teredo, 6to4) or is for documents. */
const ipv6 = "::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20"

const networks = (text: string) =>
  text.trim().split(/\s+/).map((network) => {
    const [address = "", length = ""] = network.split("/")
    return [address, Number(length)] as const
  })

/** Decides whether an address is on the public Internet; `undefined` where the runtime has no sockets. */
export const makePublicAddressCheck = (): ((address: string) => boolean) | undefined => {
  const net = nodeBuiltins()?.getBuiltinModule("node:net")
  if (net === undefined) return undefined
  const closed = new net.BlockList()
  for (const [address, length] of networks(ipv4)) closed.addSubnet(address, length, "ipv4")
  const closed6 = new net.BlockList()
  for (const [address, length] of networks(ipv6)) closed6.addSubnet(address, length, "ipv6")
  return (address) => {
    const family = net.isIP(address)
    // An IPv4 address within an IPv6 one is in `::/3`.
    return family === 4 ? !closed.check(address, "ipv4") : family === 6 && !closed6.check(address, "ipv6")
  }
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

/** A policy, ready to decide. */
export interface CompiledFetchPolicy {
  readonly maxBytes: number
  readonly maxRedirects: number
  readonly timeoutMillis: number
  /** Why a URL may not be asked; `undefined` for one that may. */
  readonly refusal: (url: URL, method: string) => string | undefined
  /** Why a host with these addresses may not be asked. */
  readonly addressRefusal: (url: URL, addresses: ReadonlyArray<string>) => string | undefined
}

/** Compiles a policy. Throws an `OptionError` for an invalid part. */
export const compileFetchPolicy = (
  policy: FetchPolicy,
  isPublic: (address: string) => boolean,
): CompiledFetchPolicy => {
  refuseUnknownOptions("FetchLeaf", policy, names)
  if (!Array.isArray(policy.hosts)) throw new OptionError("hosts", 'FetchLeaf: hosts is a list: ["example.org"]')
  const hosts = policy.hosts.map((host) => globMatcher(host.toLowerCase()))
  const privateHosts = (policy.privateHosts ?? []).map((host) => globMatcher(host.toLowerCase()))
  const methods = policy.methods ?? ["GET", "HEAD"]
  const schemes: ReadonlyArray<string> = policy.schemes ?? ["https", "http"]
  return {
    maxBytes: requireCount("FetchLeaf", "maxBytes", policy.maxBytes ?? 1_048_576, 0),
    maxRedirects: requireCount("FetchLeaf", "maxRedirects", policy.maxRedirects ?? 5, 0),
    timeoutMillis: millisOf("timeout", policy.timeout ?? 30_000),
    refusal: (url, method) => {
      if (!schemes.includes(url.protocol.slice(0, -1))) {
        return `the scheme ${url.protocol} is not one of ${schemes.join(", ")}`
      }
      if (url.username !== "" || url.password !== "") return "a URL has no user and password"
      if (!methods.includes(method)) return `the method is not one of ${methods.join(", ")}`
      if (hosts.some((matches) => matches(url.host))) return undefined
      return `the host ${url.host} is not one of ${policy.hosts.join(", ")}`
    },
    addressRefusal: (url, addresses) => {
      const closed = addresses.find((address) => !isPublic(address))
      if (closed === undefined || privateHosts.some((matches) => matches(url.host))) return undefined
      return `the host ${url.host} has the address ${closed}, which is not on the public Internet (privateHosts)`
    },
  }
}
