/** Shortens a text of any length to a name of 16 characters: the first 96 bits of its SHA-256 in base64url. */
import { nodeProcess } from "./nodeProcess.ts"

/** A name of 16 characters (base64url) for a text. Leaves that start processes run where `node:crypto` is. */
export const digest = (text: string): string => {
  const crypto = nodeProcess()?.getBuiltinModule("node:crypto")
  if (crypto === undefined) throw new Error("commands need Deno, Bun or Node: this runtime starts no processes")
  return crypto.createHash("sha256").update(text).digest("base64url").slice(0, 16)
}
