/**
 * Reads `known_hosts` files and finds the keys of a server in them: names, patterns, hashed names, ports, revoked keys and
 * certificate authorities.
 *
 * Source: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT".
 */

/** A line that matches a server. */
export interface KnownKey {
  readonly marker: "revoked" | "cert-authority" | undefined
  readonly keyType: string
  /** The key, in base64. */
  readonly key: string
}

/** HMAC-SHA1 of a text with a key, both as the file has them. */
export type HashName = (saltBase64: string, name: string) => string

/** The name that a file has for a server: `[host]:port` except for port 22. */
export const knownName = (host: string, port: number): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`

/** Compares with a pattern of `*` and `?`, in time that its length bounds. */
const matchesPattern = (pattern: string, name: string): boolean => {
  let [at, star, mark] = [0, -1, 0]
  let from = 0
  while (from < name.length) {
    if (pattern[at] === "*") {
      star = at++
      mark = from
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[from])) {
      at++
      from++
    } else if (star >= 0) {
      at = star + 1
      from = ++mark
    } else {
      return false
    }
  }
  while (pattern[at] === "*") at++
  return at === pattern.length
}

const matchesHosts = (hosts: string, names: ReadonlyArray<string>, hash: HashName): boolean => {
  if (hosts.startsWith("|")) {
    const [, version, salt, digest] = hosts.split("|")
    return version === "1" && salt !== undefined && names.some((name) => hash(salt, name) === digest)
  }
  let matches = false
  for (const each of hosts.toLowerCase().split(",")) {
    const negated = each.startsWith("!")
    if (!names.some((name) => matchesPattern(negated ? each.slice(1) : each, name))) continue
    if (negated) return false
    matches = true
  }
  return matches
}

const markerOf = (word: string): KnownKey["marker"] | "unknown" =>
  word === "@revoked" ? "revoked" : word === "@cert-authority" ? "cert-authority" : "unknown"

/** The keys that a file has for any of the names of a server. */
export const findKnownKeys = (text: string, names: ReadonlyArray<string>, hash: HashName): ReadonlyArray<KnownKey> =>
  text.split("\n").flatMap((line) => {
    const words = line.trim().split(/\s+/)
    if (words[0] === undefined || words[0] === "" || words[0].startsWith("#")) return []
    const marker = words[0].startsWith("@") ? markerOf(words[0]) : undefined
    const [hosts, keyType, key] = marker === undefined ? words : words.slice(1)
    // A line that is not understood must not let a key pass.
    if (marker === "unknown" || hosts === undefined || keyType === undefined || key === undefined) return []
    return matchesHosts(hosts, names, hash) ? [{ marker, keyType, key }] : []
  })
