/** Decides by host, port and address which servers a proxy connects to. */
import { OptionError, showValue } from "../base/OptionError.ts"
import { missingInRuntime } from "../base/requireBuiltins.ts"
import { makePrivateAddressCheck, makePublicAddressCheck } from "../net/publicAddress.ts"
import { canonicalHost, isAddress } from "./canonicalHost.ts"

/** The servers that may be connected to. */
export interface EgressRules {
  /**
   * Hosts on ports 443 and 80, or on another port: `registry.example`, `*.github.com` (all names below it, not the name
   * itself), `registry.example:8443`, `*` (all names). Addresses must be listed one by one, such as `10.0.0.7:8080`;
   * such an address may be of any network.
   */
  readonly allow: ReadonlyArray<string>
  /**
   * Names, written as in `allow`, that are allowed and may have addresses of this machine or of a private network.
   * Link-local addresses and those at which clouds serve credentials are never allowed. Default: none.
   */
  readonly privateHosts?: ReadonlyArray<string> | undefined
}

export interface EgressEntry {
  readonly text: string
  readonly isPrivate: boolean
}

/** Rules, ready to decide. Hosts are canonical. */
export interface CompiledRules {
  /** Whether an entry allows a host, on any port. */
  readonly names: (host: string) => boolean
  /** The entry that allows a host on a port, or the reason for a refusal. */
  readonly entryOf: (host: string, port: number) => EgressEntry | string
  readonly addressRefusal: (
    host: string,
    entry: EgressEntry,
    addresses: ReadonlyArray<string>,
  ) => string | undefined
}

interface Pattern extends EgressEntry {
  readonly ports: ReadonlyArray<number>
  readonly matches: (host: string) => boolean
}

const defaultPorts: ReadonlyArray<number> = [443, 80]

const portOf = (digits: string): number | undefined => {
  const port = Number(digits)
  return port >= 1 && port <= 65_535 ? port : undefined
}

const wrong = (option: string, text: unknown, what: string): OptionError =>
  new OptionError(option, `network: ${option}: ${showValue(text)} ${what}`)

const parseEntry = (option: string, text: string, isPrivate: boolean): Pattern => {
  if (typeof text !== "string") throw wrong(option, text, "is not a host")
  if (text.includes("/")) {
    throw wrong(option, text, 'is not a host; write "registry.example" or "registry.example:8443"')
  }
  const bare = /^[\da-f:.]*:[\da-f:.]*:[\da-f:.]*$/i.test(text) ? `[${text}]` : text
  const [, given = "", digits] = /^(.*?)(?::(\d{1,5}))?$/s.exec(bare) ?? []
  const port = digits === undefined ? undefined : portOf(digits)
  if (digits !== undefined && port === undefined) throw wrong(option, text, "has no valid port")
  const ports = port === undefined ? defaultPorts : [port]
  if (given === "*") return { text, isPrivate, ports, matches: (host) => !isAddress(host) }
  const isWildcard = given.startsWith("*.")
  const host = canonicalHost(isWildcard ? given.slice(2) : given)
  if (host === undefined || (isWildcard && isAddress(host))) {
    throw wrong(option, text, 'is not a host; a "*" stands for all names, or before a dot: "*.github.com"')
  }
  if (isPrivate && isAddress(host)) throw wrong(option, text, 'is an address; write it in "allow"')
  return { text, isPrivate, ports, matches: isWildcard ? (each) => each.endsWith(`.${host}`) : (each) => each === host }
}

export const compileRules = ({ allow, privateHosts = [] }: EgressRules): CompiledRules => {
  const isPublic = makePublicAddressCheck()
  const isPrivateNetwork = makePrivateAddressCheck()
  if (isPublic === undefined || isPrivateNetwork === undefined) {
    throw missingInRuntime("network", "sockets")
  }
  for (const [option, list] of [["allow", allow], ["privateHosts", privateHosts]] as const) {
    if (!Array.isArray(list)) throw new OptionError(option, `network: ${option} is a list: ["registry.example"]`)
  }
  const patterns = [
    ...privateHosts.map((text) => parseEntry("privateHosts", text, true)),
    ...allow.map((text) => parseEntry("allow", text, false)),
  ]
  return {
    names: (host) => patterns.some(({ matches }) => matches(host)),
    entryOf: (host, port) => {
      const named = patterns.filter(({ matches }) => matches(host))
      const entry = named.find(({ ports }) => ports.includes(port))
      if (entry !== undefined) return entry
      if (named.length === 0) return `${host} is not among the allowed hosts`
      return `${host} is allowed on port ${[...new Set(named.flatMap(({ ports }) => ports))].join(", ")} only`
    },
    addressRefusal: (host, { isPrivate }, addresses) => {
      // Named itself.
      if (isAddress(host)) return undefined
      const closed = addresses.find((address) => !isPublic(address) && !(isPrivate && isPrivateNetwork(address)))
      if (closed === undefined) return undefined
      // The message omits the address, because the resolver may know names of its own network.
      return isPrivate
        ? `${host} has an address that is never allowed`
        : `${host} has an address that is not on the public Internet: allow it as a private host`
    },
  }
}
