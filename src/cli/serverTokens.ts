/** Determines the tokens that a server accepts, and checks that only the owner can read a file with tokens. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { errorMessage } from "../base/errorMessage.ts"
import { nodeProcess } from "../host/nodeProcess.ts"
import type { TokenAccess } from "../auth/TokenAccess.ts"
import type { ServerRequest } from "./serverFlags.ts"
import { UsageError } from "./UsageError.ts"

export interface ServerAccess {
  readonly access: Extract<TokenAccess, { readonly token: unknown } | { readonly tokens: unknown }>
  /** The token that was made because none was given: the server prints it. */
  readonly newToken: Redacted.Redacted<string> | undefined
}

const maxBytes = 65_536

/** Makes an unguessable token. */
const makeToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const exposure = (path: string, mode: number): string | undefined =>
  nodeProcess()?.platform === "win32" || (mode & 0o077) === 0
    ? undefined
    : `other users can read or write ${path} (mode ${(mode & 0o777).toString(8).padStart(3, "0")}): run chmod 600 on it`

/** Describes why the content of a file is not secret; `undefined` if it is, or the file cannot be examined. */
export const describeExposure = (path: string): string | undefined => {
  const mode = nodeProcess()?.getBuiltinModule("node:fs").statSync(path, { throwIfNoEntry: false })?.mode
  return mode === undefined ? undefined : exposure(path, mode)
}

/** Reads a token from a regular file that only its owner may read or write. */
export const readTokenFile = (path: string): string => {
  const process = nodeProcess()
  if (process === undefined) throw new Error("files cannot be read here")
  const { closeSync, constants, fstatSync, openSync, readFileSync } = process.getBuiltinModule("node:fs")
  // Opening a FIFO without a writer would block.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw new Error(`${path} is not a regular file`)
    if (stat.size > maxBytes) throw new Error(`${path} is longer than ${maxBytes} bytes`)
    const exposed = exposure(path, stat.mode)
    if (exposed !== undefined) throw new Error(exposed)
    const text = readFileSync(fd, "utf8").trim()
    if (text === "") throw new Error(`${path} is empty`)
    return text
  } finally {
    closeSync(fd)
  }
}

export const serverAccess = (
  { token, tokenFile, tokens }: ServerRequest,
): Effect.Effect<ServerAccess, UsageError> => {
  const known = (access: ServerAccess["access"]): ServerAccess => ({ access, newToken: undefined })
  if (tokenFile !== undefined) {
    return Effect.try({
      try: () => known({ token: Redacted.make(readTokenFile(tokenFile)) }),
      catch: (error) => new UsageError(`--token-file: ${errorMessage(error)}`),
    })
  }
  // A variable may hold the token of all servers of a machine: this server's file takes precedence.
  if (tokens !== undefined) return Effect.succeed(known({ tokens }))
  if (token !== undefined) return Effect.succeed(known({ token }))
  return Effect.sync(() => {
    const made = Redacted.make(makeToken())
    return { access: { token: made }, newToken: made }
  })
}
