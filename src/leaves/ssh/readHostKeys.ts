/** Checks a server's key against pinned keys or `known_hosts` files. */
import type * as NodeCrypto from "node:crypto"
import type * as NodeFs from "node:fs"
import type { ServerHostKeyAlgorithm } from "ssh2"
import { errorMessage } from "../../base/errorMessage.ts"
import { readErrorCode } from "../../base/readErrorCode.ts"
import { findKnownKeys, type HashName, type KnownKey, knownName } from "./knownHosts.ts"
import { type HopSettings, serverOf } from "./SshConnectionOptions.ts"
import { SshError, type SshErrorReason } from "./SshError.ts"

export interface HostKeyModules {
  readonly fs: Pick<typeof NodeFs, "readFileSync" | "statSync">
  readonly crypto: Pick<typeof NodeCrypto, "createHash" | "createHmac" | "getCiphers">
  readonly home: string
}

export interface HostKeys {
  /** The types of the known keys: the server is asked for one of these first. */
  readonly algorithms: ReadonlyArray<ServerHostKeyAlgorithm>
  /** The reason why a key is refused; `undefined` for a known key. */
  readonly refuse: (key: Uint8Array) => SshError | undefined
}

/** Files larger than this are not read: known_hosts has a line of a few hundred bytes for each server. */
const maxFileBytes = 16 * 1024 * 1024

const allAlgorithms: ReadonlyArray<ServerHostKeyAlgorithm> = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "rsa-sha2-512",
  "rsa-sha2-256",
]

const algorithmsOf = (keyType: string): ReadonlyArray<ServerHostKeyAlgorithm> =>
  keyType === "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256"] : allAlgorithms.filter((each) => each === keyType)

/** The type of a key, at the start of its encoding (RFC 4253, 6.6). */
const keyTypeOf = (key: Uint8Array): string => {
  const length = key.length < 4 ? 0 : new DataView(key.buffer, key.byteOffset).getUint32(0)
  return new TextDecoder().decode(key.subarray(4, 4 + Math.min(length, 64)))
}

const expandHome = (path: string, home: string): string => path.startsWith("~/") ? `${home}${path.slice(1)}` : path

/** Decodes base64; no bytes for any other text. */
const decodeBase64 = (text: string): Uint8Array => {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

/** A key, with the file that has it. */
type KnownKeyOf = KnownKey & { readonly file?: string }

interface KnownFiles {
  readonly keys: ReadonlyArray<KnownKeyOf>
  /** Reasons why files could not be read; a missing file is no reason. */
  readonly unread: ReadonlyArray<string>
}

const readKnown = (hop: HopSettings, files: ReadonlyArray<string>, modules: HostKeyModules): KnownFiles => {
  const { crypto, fs, home } = modules
  const keys: Array<KnownKeyOf> = []
  const unread: Array<string> = []
  const hash: HashName = (salt, name) => crypto.createHmac("sha1", decodeBase64(salt)).update(name).digest("base64")
  for (const file of files) {
    try {
      const path = expandHome(file, home)
      if (fs.statSync(path).size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`)
      const text = fs.readFileSync(path, "utf8")
      keys.push(...findKnownKeys(text, [knownName(hop.host, hop.port)], hash).map((key) => ({ ...key, file })))
    } catch (error) {
      // A missing file has no keys.
      const code = readErrorCode(error)
      if (code !== "ENOENT") unread.push(`${file} was not read (${code ?? errorMessage(error)})`)
    }
  }
  return { keys, unread }
}

export const readHostKeys = (hop: HopSettings, modules: HostKeyModules): HostKeys => {
  const { hostKey } = hop
  const server = serverOf(hop)
  const { keys: known, unread }: KnownFiles = "keys" in hostKey
    ? {
      keys: hostKey.keys.flatMap((line) => {
        const [keyType = "", key = ""] = line.split(" ")
        return line.startsWith("SHA256:") ? [] : [{ marker: undefined, keyType, key }]
      }),
      unread: [],
    }
    : readKnown(hop, hostKey.knownHosts, modules)
  const fingerprints = "keys" in hostKey
    ? hostKey.keys.flatMap((line) => line.startsWith("SHA256:") ? [line.replace(/=$/, "")] : [])
    : []
  const fingerprintOf = (key: Uint8Array): string =>
    `SHA256:${modules.crypto.createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`
  const plain = known.filter(({ marker }) => marker === undefined)
  const wanted = [...new Set(plain.flatMap(({ keyType }) => algorithmsOf(keyType)))]
  const files = "keys" in hostKey ? [] : hostKey.knownHosts
  const [where] = files

  const fail = (reason: SshErrorReason, message: string): SshError =>
    new SshError({ reason, message: `ssh: ${message}` })

  return {
    algorithms: [...wanted, ...allAlgorithms.filter((each) => !wanted.includes(each))],
    refuse: (key) => {
      const base64 = btoa(Array.from(key, (byte) => String.fromCharCode(byte)).join(""))
      const [keyType, fingerprint] = [keyTypeOf(key), fingerprintOf(key)]
      const facts = { server, keyType, fingerprint }
      const same = known.filter((each) => each.key === base64)
      const revoked = same.find(({ marker }) => marker === "revoked")
      if (revoked !== undefined) {
        return fail(
          { _tag: "HostKeyRevoked", ...facts },
          `the key ${fingerprint} of ${server} is marked as revoked in ${revoked.file}`,
        )
      }
      if (same.some(({ marker }) => marker === undefined) || fingerprints.includes(fingerprint)) return undefined
      const others = [
        ...plain.map((each) => fingerprintOf(decodeBase64(each.key))),
        ...fingerprints,
      ]
      if (others.length > 0) {
        const [host, port] = [hop.host, hop.port]
        const remove = where === undefined
          ? "change hostKey"
          : `remove the old one with: ssh-keygen -R '${knownName(host, port)}' -f ${plain[0]?.file ?? where}`
        return fail(
          { _tag: "HostKeyChanged", ...facts, known: others },
          `the ${keyType} key of ${server} is ${fingerprint}, but the known key is ${
            others.join(", ")
          }: another machine may be in between. ` +
            `If the server was reinstalled, ${remove}`,
        )
      }
      if (known.some(({ marker }) => marker === "cert-authority")) {
        return fail(
          { _tag: "HostKeyUnsupported", ...facts },
          `${server} is known only by a certificate authority, which is not supported; add its own key ${fingerprint}`,
        )
      }
      return fail(
        { _tag: "HostKeyUnknown", ...facts },
        `the ${keyType} key ${fingerprint} of ${server} is not known${
          where === undefined ? "" : ` in ${files.join(" or ")}`
        }${unread.map((each) => `; ${each}`).join("")}. ` +
          `Compare it with: ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub on the server; then trust it with hostKey: "${fingerprint}"` +
          (where === undefined ? "" : `, or: ssh-keyscan -p ${hop.port} ${hop.host} >> ${where}`),
      )
    },
  }
}
