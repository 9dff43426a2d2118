/**
 * SHA-256, synchronous: an append must not wait for a hash.
 *
 * @module
 */
import { sha256 as portable } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type * as NodeCrypto from "node:crypto"

interface WithBuiltins {
  readonly getBuiltinModule: (id: "node:crypto") => typeof NodeCrypto | undefined
}

const hasBuiltins = (u: unknown): u is WithBuiltins =>
  typeof u === "object" && u !== null && "getBuiltinModule" in u && typeof u.getBuiltinModule === "function"

/** Lower-case hexadecimal SHA-256 of a text as UTF-8, where there is no built-in one. */
export const portableSha256 = (text: string): string => bytesToHex(portable(utf8ToBytes(text)))

const pick = (): (text: string) => string => {
  const crypto = hasBuiltins(globalThis.process) ? globalThis.process.getBuiltinModule("node:crypto") : undefined
  // `crypto.hash` (Node 21.7 and later) does in one call what `createHash` does in four, and takes half the time.
  return crypto?.hash === undefined ? portableSha256 : (text) => crypto.hash("sha256", text, "hex")
}

let chosen: ((text: string) => string) | undefined

/** Lower-case hexadecimal SHA-256 of a text as UTF-8; a lone surrogate counts as U+FFFD. */
export const sha256 = (text: string): string => (chosen ??= pick())(text)
