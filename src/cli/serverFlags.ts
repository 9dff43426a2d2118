/**
 * Defines the flags that servers share (address, tokens, hosts, load), and resolves them with the environment into requests.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { quote } from "../base/quote.ts"
import { hostOf, isForHosts, loopbackHosts } from "../mcp/McpHosts.ts"
import { servedVariables } from "../policy/inheritedVariables.ts"
import type { TokenOptions } from "../auth/TokenAccess.ts"
import type { CliProcess } from "./CliProcess.ts"
import type { CommandPolicyFlags } from "./commandPolicyFlags.ts"
import { type FlagSpec, type FlagTable, listFlag, valueFlag } from "./FlagSpec.ts"
import type { ListenAddress } from "./HttpListener.ts"
import { isolationOf } from "./isolationFlags.ts"
import type { KillableShellOptions } from "./killableShell.ts"
import { parseCountFrom, type Parsed, parseDuration, parseText } from "./parseValues.ts"
import { isLoopback } from "./HttpListener.ts"
import { UsageError } from "./UsageError.ts"

/** The allowed commands and directories, as the variables hold them: items joined by commas. */
export interface AllowlistVariables {
  readonly ALLOWED_COMMANDS: string | undefined
  readonly ALLOWED_CWD_ROOTS: string | undefined
}

/** The list of a server without settings: no command may run. */
export const emptyAllowlist: AllowlistVariables = { ALLOWED_COMMANDS: undefined, ALLOWED_CWD_ROOTS: undefined }

export interface AddressFlags {
  readonly host: string | undefined
  readonly token: Redacted.Redacted<string> | undefined
  readonly "token-file": string | undefined
}

export interface HostsFlags {
  /** Empty for the names of the address that the server listens on. */
  readonly "allow-host": ReadonlyArray<string>
  readonly "allow-origin": ReadonlyArray<string>
}

export interface LoadFlags {
  readonly "max-concurrency": number | undefined
  /** Time in milliseconds. */
  readonly drain: number | undefined
}

export interface ServerRequest extends ListenAddress {
  readonly isForThisServer: (request: Request) => boolean
  /** The token of clients; if there is none, and no token file, the server makes and prints one. */
  readonly token: Redacted.Redacted<string> | undefined
  readonly tokenFile: string | undefined
  /** Several tokens, from a configuration file; `--token` takes precedence. */
  readonly tokens: ReadonlyArray<TokenOptions> | undefined
}

/** The policy of commands, and the variables that they inherit from the server. */
export interface CommandPolicyRequest {
  readonly flags: CommandPolicyFlags
  /** `undefined` if neither flags nor variables set it. */
  readonly allowed: AllowlistVariables | undefined
  /** The root in which a server works that was started outside of all roots; `undefined` for its own directory. */
  readonly entered?: string | undefined
}

export interface HostsRequest {
  readonly allowedHosts: ReadonlyArray<string> | undefined
  readonly allowedOrigins: ReadonlyArray<string>
}

/** Makes a parser of names that a request can have. */
const parseName = (isName: (text: string) => boolean, example: string) => (text: string): Parsed<string> =>
  isName(text) ? Result.succeed(text) : Result.fail(`${quote(text)} is not valid; write one as in ${example}`)

/** Whether a text is a host as in a Host header: a name or an address, with or without a port. */
const isHost = (text: string): boolean => {
  const url = URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`) : undefined
  return url !== undefined && !text.includes(",") && [url.host, `${url.hostname}:80`].includes(text.toLowerCase())
}

/** Whether a text is an origin as a browser sends it: scheme, name, and a port other than the default. */
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text.toLowerCase()

export const portFlag = (about: string): FlagSpec<number | undefined> =>
  valueFlag(
    "PORT",
    about,
    (text) =>
      /^\d+$/.test(text) && Number(text) <= 65_535
        ? Result.succeed(Number(text))
        : Result.fail(`${quote(text)} is not a port`),
  )

/** Flags for address and token. `when` is added to their help texts. */
export const addressFlags = (when: string): FlagTable<AddressFlags> => ({
  "host": valueFlag("HOST", `Address to listen on${when}. Default: 127.0.0.1`, parseText),
  "token": valueFlag(
    "T",
    `Token that clients must send as Authorization: Bearer T${when}. Default: SLUICE_TOKEN, else a new one`,
    (text) => Result.succeed(Redacted.make(text)),
  ),
  "token-file": valueFlag(
    "FILE",
    `File with the token, readable by its owner only${when}. Unlike a flag or variable, other programs cannot see it`,
    parseText,
  ),
})

export const hostsFlags = (whenHost: string, when: string): FlagTable<HostsFlags> => ({
  "allow-host": listFlag(
    "HOST",
    `Host name under which the server is reached${whenHost}; requests for others get 404; repeatable. A server that listens on this machine alone also answers to localhost. Default: localhost and --host`,
    parseName(isHost, "build.example or 10.0.0.7:8787"),
  ),
  "allow-origin": listFlag(
    "ORIGIN",
    `Origin of web pages that may call the tools${when}; repeatable. Default: none`,
    parseName(isOrigin, "https://app.example"),
  ),
})

export const loadFlags: FlagTable<LoadFlags> = {
  "max-concurrency": valueFlag(
    "N",
    "Maximum number of concurrent commands; others wait. Default: 4",
    parseCountFrom(1, 999_999_999),
  ),
  "drain": valueFlag(
    "T",
    "How long running commands may continue after the first signal, as in 30s. Default: 0",
    parseDuration,
  ),
}

/**
 * Resolves the policy of commands. Flags take precedence over variables. Roots alone restrict only the directory: the
 * commands are then `otherwise`. An empty variable allows nothing.
 */
export const readCommandPolicy = (
  flags: CommandPolicyFlags,
  cli: CliProcess,
  otherwise: "*" | undefined,
): CommandPolicyRequest => {
  const commands = flags["allow-command"] ?? cli.variable("ALLOWED_COMMANDS")
  const roots = flags["allow-cwd-root"] ?? cli.variable("ALLOWED_CWD_ROOTS")
  const isUnset = commands === undefined && (roots === undefined || roots.trim() === "")
  return {
    flags,
    allowed: isUnset ? undefined : { ALLOWED_COMMANDS: commands ?? otherwise, ALLOWED_CWD_ROOTS: roots },
  }
}

/** The allowed roots; empty if any directory is allowed. */
export const rootsOf = (allowed: AllowlistVariables | undefined): ReadonlyArray<string> =>
  (allowed?.ALLOWED_CWD_ROOTS ?? "").split(",").map((root) => root.trim()).filter((root) => root !== "")

export const localShellOptions = (
  { allowed, entered, flags }: CommandPolicyRequest & { readonly flags: { readonly journal?: string | undefined } },
): KillableShellOptions => {
  const roots = rootsOf(allowed)
  return {
    inheritedVariables: [...servedVariables, ...flags["pass-env"]],
    cwd: flags["default-cwd"] ?? entered,
    entered,
    limits: flags.limit,
    isolation: isolationOf(flags, roots.length === 0 ? [flags["default-cwd"] ?? "."] : roots, flags.journal),
  }
}

/** Resolves address and token; `tokens` are those of the configuration file. */
export const readServerRequest = (
  flags: AddressFlags & HostsFlags,
  port: number,
  cli: Pick<CliProcess, "variable">,
  tokens: ReadonlyArray<TokenOptions> | undefined,
): Result.Result<ServerRequest, UsageError> => {
  const { "allow-host": names, host = "127.0.0.1", token, "token-file": tokenFile } = flags
  if (tokenFile !== undefined && token !== undefined) {
    return Result.fail(new UsageError("--token and --token-file are mutually exclusive"))
  }
  // An empty variable counts as not set.
  const variable = cli.variable("SLUICE_TOKEN") ?? ""
  return Result.succeed({
    host,
    isForThisServer: isForServer(host, names.length === 0 ? undefined : names),
    port,
    token: token ?? (variable === "" ? undefined : Redacted.make(variable)),
    tokenFile,
    tokens: token === undefined ? tokens : undefined,
  })
}

/** Matches an address in a Host header, with or without a port. */
const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d+)?$/

/**
 * Makes a predicate: whether a request is for this server. A server on a wildcard address accepts any address but no
 * host name: a page whose name was pointed here (DNS rebinding) sends that name.
 */
export const isForServer = (
  host: string,
  allowedHosts: ReadonlyArray<string> | undefined,
): (request: Request) => boolean => {
  const isNamed = isForHosts(allowedHostsOf(host, allowedHosts) ?? loopbackHosts)
  const isAnyAddress = allowedHosts === undefined && wildcardAddresses.has(host)
  return (request: Request): boolean =>
    isForItsHost(request) && (isNamed(request) || (isAnyAddress && address.test(hostOf(request))))
}

/**
 * Whether a request names its host in the header, and no other one in its target (`GET http://other/ HTTP/1.1`). Bun ignores
 * the host of a target.
 */
const isForItsHost = ({ headers, url }: Request): boolean => {
  const host = headers.get("host") ?? ""
  return host !== "" && URL.canParse(url) && URL.parse(`http://${host}`)?.host === new URL(url).host
}

/** Addresses that mean every address of the machine. */
const wildcardAddresses: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/** Resolves the host names and origins from which the MCP tools of a server may be used. */
export const readHosts = (flags: HostsFlags, host: string): HostsRequest => ({
  allowedHosts: allowedHostsOf(host, flags["allow-host"].length === 0 ? undefined : flags["allow-host"]),
  allowedOrigins: flags["allow-origin"],
})

/** The names of a server that listens on one address; `undefined` for a wildcard address. */
const hostsOf = (host: string): ReadonlyArray<string> | undefined =>
  wildcardAddresses.has(host) ? undefined : [...loopbackHosts, host.includes(":") ? `[${host}]` : host]

/**
 * The hosts that requests may be for: `named`, else those of the address. A server on a loopback address keeps the loopback
 * names: a page whose name was pointed here (DNS rebinding) sends its own name, never one of these.
 */
const allowedHostsOf = (
  host: string,
  named: ReadonlyArray<string> | undefined,
): ReadonlyArray<string> | undefined =>
  named === undefined ? hostsOf(host) : isLoopback(host) ? [...named, ...hostsOf(host) ?? []] : named
