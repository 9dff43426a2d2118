/**
 * Normalizes the spellings of a host name or an address. Source: WHATWG URL, "Host parsing"
 * (https://url.spec.whatwg.org/#host-parsing).
 */

/** Names of labels, and addresses in brackets. URL parsers give all other characters a meaning, or drop them. */
const plain = /^(?:\[[\da-f:.]{2,45}\]|[\p{L}\p{N}\p{M}._-]{1,253})$/iu

const name = /^(?=.{1,253}$)[a-z\d_-]{1,63}(?:\.[a-z\d_-]{1,63})*$/

const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/

const dotted = (word: string): string => {
  const value = Number.parseInt(word, 16)
  return `${value >> 8}.${value & 255}`
}

export const isAddress = (host: string): boolean => host.includes(":") || /^\d+(?:\.\d+){3}$/.test(host)

/**
 * The one spelling of a host: a name in lower case and ASCII without a trailing dot, four decimal numbers, or a short IPv6
 * address without brackets. `undefined` for an invalid host, or one with a zone.
 */
export const canonicalHost = (text: string): string | undefined => {
  if (!plain.test(text) || !URL.canParse(`http://${text}/`)) return undefined
  const { hostname } = new URL(`http://${text}/`)
  if (!hostname.startsWith("[")) {
    const host = hostname.replace(/\.$/, "")
    return name.test(host) ? host : undefined
  }
  const address = hostname.slice(1, -1)
  const [, high, low] = mapped.exec(address) ?? []
  return high === undefined || low === undefined ? address : `${dotted(high)}.${dotted(low)}`
}

export const hostAndPort = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`
