/**
 * The token of a server: from a file, from words, or a new one.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { nodeProcess } from "../leaves/local/nodeBuiltins.ts"
import { newToken } from "./reach.ts"
import type { ServerRequest } from "./serverFlags.ts"
import { UsageError } from "./UsageError.ts"

/** A token, and whether nobody but this server knows it yet. */
export interface ServerToken {
  readonly token: Redacted.Redacted<string>
  readonly isNew: boolean
}

/** Longest file that is taken for a token's. */
const maxBytes = 65_536

/** Reads a token's file: a regular file, which nobody but its owner may read or write. */
const readTokenFile = (path: string): string => {
  const process = nodeProcess()
  if (process === undefined) throw new Error("files cannot be read here")
  const { closeSync, constants, fstatSync, openSync, readFileSync } = process.getBuiltinModule("node:fs")
  // A FIFO without a writer would be waited for.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw new Error(`${path} is no regular file`)
    if (stat.size > maxBytes) throw new Error(`${path} is longer than ${maxBytes} bytes`)
    if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8).padStart(3, "0")
      throw new Error(`others may read or write ${path} (mode ${mode}): chmod 600 it`)
    }
    const text = readFileSync(fd, "utf8").trim()
    if (text === "") throw new Error(`${path} is empty`)
    return text
  } finally {
    closeSync(fd)
  }
}

/** The token that clients must send. */
export const serverToken = ({ token, tokenFile }: ServerRequest): Effect.Effect<ServerToken, UsageError> => {
  if (tokenFile === undefined) {
    return Effect.succeed({ token: token ?? Redacted.make(newToken()), isNew: token === undefined })
  }
  return Effect.try({
    try: () => ({ token: Redacted.make(readTokenFile(tokenFile)), isNew: false }),
    catch: (error) => new UsageError(`--token-file: ${error instanceof Error ? error.message : String(error)}`),
  })
}
