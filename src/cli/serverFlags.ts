/**
 * Flags that `sluice serve` and `sluice mcp` have both, and what is meant by them.
 *
 * @module
 */
import * as Result from "effect/Result"
import { loopbackHosts } from "../mcp/McpNames.ts"
import type { FlagSpec } from "./flags.ts"
import { type FlagWords, onlyWith, parsedFlag, parsePort } from "./flagValues.ts"
import type { OwnProcess } from "./OwnProcess.ts"
import type { Address } from "./Listening.ts"
import type { UsageError } from "./UsageError.ts"

/** Where to serve, and for whom. */
export interface ServerRequest extends Address {
  /** What clients must send; a new one is made and told when there is none. */
  readonly token: string | undefined
}

/** By which names tools are reached; see `McpNames`. */
export interface NamesRequest {
  readonly allowedHosts: ReadonlyArray<string> | undefined
  readonly allowedOrigins: ReadonlyArray<string>
}

/** Flags that say where to serve, and for whom. `when` is what they say of the flag that they belong to. */
export const serverFlags = (when: string): Readonly<Record<"host" | "token", FlagSpec>> => ({
  "host": { kind: "value", metavar: "HOST", about: `Address to listen on${when}. Default: 127.0.0.1` },
  "token": {
    kind: "value",
    metavar: "T",
    about: `What clients must send as Authorization: Bearer T${when}. Default: SLUICE_TOKEN, else a new one`,
  },
})

/** Flags that say by which names tools are reached. */
export const namesFlags = (when: string): Readonly<Record<"allow-host" | "allow-origin", FlagSpec>> => ({
  "allow-host": {
    kind: "list",
    metavar: "HOST",
    about:
      `Host that requests for tools may be for${when}; may be repeated. Default: this machine's own names, and --host`,
  },
  "allow-origin": {
    kind: "list",
    metavar: "ORIGIN",
    about: `Origin of web pages that may use the tools${when}; may be repeated. Default: none`,
  },
})

/** Where to serve, and for whom. The port has the name of a flag of its own, and a default where there is one. */
export const readServer = (
  words: FlagWords,
  own: OwnProcess,
  portFlag: string,
  usualPort: number,
): Result.Result<ServerRequest, UsageError> =>
  Result.map(parsedFlag(words, portFlag, parsePort), (port) => ({
    host: words.get("host")?.[0] ?? "127.0.0.1",
    port: port ?? usualPort,
    // As elsewhere, an empty variable is one that is not set.
    token: words.get("token")?.[0] ?? (own.variable("SLUICE_TOKEN") || undefined),
  }))

/** Addresses that mean every address of a machine. */
const everywhere: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/** By which names tools are reached, where there are tools: where `withFlag` was given. */
export const readNames = (
  words: FlagWords,
  withFlag: string,
  host: string,
): Result.Result<NamesRequest, UsageError> =>
  Result.map(onlyWith(words, withFlag, Object.keys(namesFlags(""))), () => ({
    allowedHosts: words.get("allow-host") ?? hostsOf(host),
    allowedOrigins: words.get("allow-origin") ?? [],
  }))

/** Who listens on one address means to be reached by it. */
const hostsOf = (host: string): ReadonlyArray<string> | undefined =>
  everywhere.has(host) ? undefined : [...loopbackHosts, host.includes(":") ? `[${host}]` : host]
