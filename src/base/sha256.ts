/**
 * Computes SHA-256 synchronously, of whole texts and bytes or piece by piece, with the runtime's own implementation where it
 * has one.
 *
 * Web Crypto is asynchronous, and an append must not wait for a hash.
 */
import { sha256 as portable } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { encodeUtf8 } from "./bytes.ts"
import { nodeBuiltins } from "./nodeBuiltins.ts"

const toBytes = (data: string | Uint8Array): Uint8Array => typeof data === "string" ? encodeUtf8(data) : data

/** The 32 bytes of a SHA-256, in JavaScript: loading the runtime's implementation takes 10 ms (Node) to 30 ms (Deno). */
export const portableSha256 = (data: string | Uint8Array): Uint8Array => portable(toBytes(data))

const pick = (): (data: string | Uint8Array) => string => {
  const crypto = nodeBuiltins()?.getBuiltinModule("node:crypto")
  // `crypto.hash` (Node 21.7 and later) takes half the time of `createHash`.
  return crypto?.hash === undefined
    ? (data) => bytesToHex(portableSha256(data))
    : (data) => crypto.hash("sha256", data, "hex")
}

let chosen: ((data: string | Uint8Array) => string) | undefined

/** Lower-case hexadecimal SHA-256 of bytes, or of a text as UTF-8, in which a lone surrogate counts as U+FFFD. */
export const sha256 = (data: string | Uint8Array): string => (chosen ??= pick())(data)

/** A SHA-256 of bytes that arrive in pieces. */
export interface Sha256Stream {
  readonly update: (bytes: Uint8Array) => void
  /** The lower-case hexadecimal hash; called once. */
  readonly digest: () => string
}

/** Begins a hash of bytes that come in pieces. */
export const sha256Stream = (): Sha256Stream => {
  const crypto = nodeBuiltins()?.getBuiltinModule("node:crypto")
  if (crypto === undefined) {
    const hash = portable.create()
    return { update: (bytes) => void hash.update(bytes), digest: () => bytesToHex(hash.digest()) }
  }
  const hash = crypto.createHash("sha256")
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") }
}
