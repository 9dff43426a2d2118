/**
 * Defines and parses the flags that `sluice serve` and `sluice mcp` share: address and token, command policy, allowed
 * hosts and origins.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { CommandLimits } from "../command/CommandLimits.ts"
import type { LocalShellOptions } from "../leaves/local/LocalShellOptions.ts"
import { hostOf, isForHosts, loopbackHosts } from "../mcp/McpHosts.ts"
import type { AccessPolicySettings } from "../policy/accessPolicyFields.ts"
import { isServerVariable, servedVariables } from "../policy/inheritedVariables.ts"
import type { FlagSpec } from "./flags.ts"
import { type FlagWords, onlyWith, parsedFlag, parsePort } from "./flagValues.ts"
import type { TokenOptions } from "../auth/TokenAccess.ts"
import type { AllowlistVariables } from "./AllowlistVariables.ts"
import type { CliProcess } from "./CliProcess.ts"
import type { ListenAddress } from "./HttpListener.ts"
import { isLoopback } from "./serverUrl.ts"
import { UsageError } from "./UsageError.ts"
import { parseLimits } from "./parseValues.ts"

/** Files that redirections of scripts may open. */
export type Redirects = NonNullable<AccessPolicySettings["redirects"]>

const redirects: ReadonlyArray<Redirects> = ["none", "read", "roots", "all"]

/** Address and tokens of a server. */
export interface ServerRequest extends ListenAddress {
  /** Whether a request is for this server. */
  readonly isForThisServer: (request: Request) => boolean
  /** The token of clients; if there is none, and no token file, the server makes and prints one. */
  readonly token: Redacted.Redacted<string> | undefined
  readonly tokenFile: string | undefined
  /** Several tokens, from a configuration file; `--token` takes precedence. */
  readonly tokens: ReadonlyArray<TokenOptions> | undefined
}

/** The policy of commands, and the variables that they inherit from the server. */
export interface CommandPolicyRequest {
  /** `undefined` if neither flags nor variables set it. */
  readonly allowed: AllowlistVariables | undefined
  /** The maximum limits of any command. */
  readonly limits: CommandLimits | undefined
  /** Variables of the server that commands inherit in addition to the default ones. */
  readonly passEnv: ReadonlyArray<string>
  /** The working directory of commands without one. */
  readonly defaultCwd: string | undefined
  /** Files that redirections of scripts may open. */
  readonly redirects: Redirects | undefined
}

/** The host names and origins from which MCP tools may be used. */
export interface HostsRequest {
  readonly allowedHosts: ReadonlyArray<string> | undefined
  readonly allowedOrigins: ReadonlyArray<string>
}

/** Flags for address and token. `when` is added to their help texts. */
export const serverFlags = (when: string): Readonly<Record<"host" | "token" | "token-file", FlagSpec>> => ({
  "host": { kind: "value", metavar: "HOST", about: `Address to listen on${when}. Default: 127.0.0.1` },
  "token": {
    kind: "value",
    metavar: "T",
    about: `Token that clients must send as Authorization: Bearer T${when}. Default: SLUICE_TOKEN, else a new one`,
  },
  "token-file": {
    kind: "value",
    metavar: "FILE",
    about:
      `File with the token, readable by its owner only${when}. Unlike a flag or variable, other programs cannot see it`,
  },
})

/** Flags for the policy of commands and the variables that they inherit. */
export const commandPolicyFlags = (
  otherwise: string,
): Readonly<
  Record<"allow-command" | "allow-cwd-root" | "limit" | "pass-env" | "default-cwd" | "redirects", FlagSpec>
> => ({
  "allow-command": {
    kind: "list",
    metavar: "NAME",
    about: `Allow a command, by name or absolute path; repeatable. Default: ALLOWED_COMMANDS, else ${otherwise}`,
  },
  "allow-cwd-root": {
    kind: "list",
    metavar: "DIR",
    about: "Allow working directories below this one; repeatable. Default: ALLOWED_CWD_ROOTS, else any",
  },
  "limit": {
    kind: "list",
    metavar: "NAME=N",
    about: "Resource limits of each command: memory=512M,cpu=10s,processes=64,file=1G; repeatable. Default: none",
  },
  "pass-env": {
    kind: "list",
    metavar: "NAME",
    about: "Let commands inherit this variable, in addition to PATH, HOME, LANG and the like; repeatable",
  },
  "default-cwd": {
    kind: "value",
    metavar: "DIR",
    about: "Working directory of commands that name none, within the allowed roots. Default: the current one",
  },
  "redirects": {
    kind: "value",
    metavar: "FILES",
    about:
      "Files that redirections in scripts may open: none, read, roots (below the allowed roots) or all. Default: none",
  },
})

/** Joins items by commas; refuses items that contain one, which the variables cannot express. */
const joined = (words: FlagWords, name: string): Result.Result<string | undefined, UsageError> => {
  const items = words.get(name)
  const wrong = items?.find((item) => item.includes(",") || item.trim() === "")
  return wrong === undefined
    ? Result.succeed(items?.join(","))
    : Result.fail(new UsageError(`--${name}: "${wrong}" is not a name; repeat the flag for each item`))
}

/** Flags take precedence over variables. Roots alone restrict only the directory; an empty variable allows nothing. */
const readAllowed = (
  words: FlagWords,
  own: CliProcess,
  otherwise: "*" | undefined,
): Result.Result<AllowlistVariables | undefined, UsageError> =>
  Result.gen(function* () {
    const commands = (yield* joined(words, "allow-command")) ?? own.variable("ALLOWED_COMMANDS")
    const roots = (yield* joined(words, "allow-cwd-root")) ?? own.variable("ALLOWED_CWD_ROOTS")
    if (commands === undefined && (roots === undefined || roots.trim() === "")) return undefined
    return { ALLOWED_COMMANDS: commands ?? otherwise, ALLOWED_CWD_ROOTS: roots }
  })

const readPassEnv = (words: FlagWords): Result.Result<ReadonlyArray<string>, UsageError> => {
  const passEnv = words.get("pass-env") ?? []
  const wrong = passEnv.find((name) => !/^[A-Za-z_]\w*$/.test(name) || isServerVariable(name))
  return wrong === undefined ? Result.succeed(passEnv) : Result.fail(
    new UsageError(
      isServerVariable(wrong)
        ? `--pass-env: ${wrong} is reserved for the server; commands never inherit it`
        : `--pass-env: "${wrong}" is not a variable name`,
    ),
  )
}

const isRedirects = (text: string): text is Redirects => redirects.some((each) => each === text)

const readRedirects = (words: FlagWords): Result.Result<Redirects | undefined, UsageError> => {
  const files = words.get("redirects")?.[0]
  return files === undefined || isRedirects(files)
    ? Result.succeed(files)
    : Result.fail(new UsageError(`--redirects takes ${redirects.join(", ")}; not "${files}"`))
}

/** Parses the command policy. `otherwise` is the list of commands if only roots are given. */
export const readCommandPolicy = (
  words: FlagWords,
  own: CliProcess,
  otherwise: "*" | undefined,
): Result.Result<CommandPolicyRequest, UsageError> =>
  Result.gen(function* () {
    const limits = words.get("limit")
    return {
      allowed: yield* readAllowed(words, own, otherwise),
      limits: limits === undefined
        ? undefined
        : yield* Result.mapError(parseLimits(limits), (why) => new UsageError(`--limit: ${why}`)),
      passEnv: yield* readPassEnv(words),
      defaultCwd: words.get("default-cwd")?.[0],
      redirects: yield* readRedirects(words),
    }
  })

/** Options of the local leaf that runs a server's commands. */
export const localShellOptions = ({ defaultCwd, limits, passEnv }: CommandPolicyRequest): LocalShellOptions => ({
  inheritedVariables: [...servedVariables, ...passEnv],
  cwd: defaultCwd,
  limits,
})

/** Flags for the host names and origins that may use the tools. */
export const hostsFlags = (
  whenHost: string,
  when: string,
): Readonly<Record<"allow-host" | "allow-origin", FlagSpec>> => ({
  "allow-host": {
    kind: "list",
    metavar: "HOST",
    about:
      `Host name under which the server is reached${whenHost}; requests for others get 404; repeatable. A server that listens on this machine alone also answers to localhost. Default: localhost and --host`,
  },
  "allow-origin": {
    kind: "list",
    metavar: "ORIGIN",
    about: `Origin of web pages that may call the tools${when}; repeatable. Default: none`,
  },
})

/** Whether a text is a host as in a Host header: a name or an address, with or without a port. */
const isHost = (text: string): boolean => {
  const url = URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`) : undefined
  return url !== undefined && !text.includes(",") && [url.host, `${url.hostname}:80`].includes(text.toLowerCase())
}

/** Whether a text is an origin as a browser sends it: scheme, name, and a port other than the default. */
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text.toLowerCase()

/** Parses the names of a flag; refuses a name that no request could have. */
const namesOf = (
  words: FlagWords,
  flag: string,
  isName: (text: string) => boolean,
  example: string,
): Result.Result<ReadonlyArray<string> | undefined, UsageError> => {
  const names = words.get(flag)
  const wrong = names?.find((name) => !isName(name))
  return wrong === undefined
    ? Result.succeed(names)
    : Result.fail(new UsageError(`--${flag}: "${wrong}" is not valid; write one as in ${example}`))
}

/** Parses address and token. `portFlag` is the name of the port's flag, `usualPort` its default. */
export const readServerRequest = (
  words: FlagWords,
  own: Pick<CliProcess, "variable">,
  portFlag: string,
  usualPort: number,
  tokens: ReadonlyArray<TokenOptions> | undefined,
): Result.Result<ServerRequest, UsageError> =>
  Result.gen(function* () {
    const port = yield* parsedFlag(words, portFlag, parsePort)
    const tokenFile = words.get("token-file")?.[0]
    const given = words.get("token")?.[0]
    if (tokenFile !== undefined && given !== undefined) {
      return yield* Result.fail(new UsageError("--token and --token-file are mutually exclusive"))
    }
    // An empty variable counts as not set.
    const token = given ?? (own.variable("SLUICE_TOKEN") || undefined)
    const host = words.get("host")?.[0] ?? "127.0.0.1"
    return {
      host,
      isForThisServer: isForServer(host, yield* namesOf(words, "allow-host", isHost, "build.example or 10.0.0.7:8787")),
      port: port ?? usualPort,
      token: token === undefined ? undefined : Redacted.make(token),
      tokenFile,
      tokens: given === undefined ? tokens : undefined,
    }
  })

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
  return (request: Request): boolean => isNamed(request) || (isAnyAddress && address.test(hostOf(request)))
}

/** Addresses that mean every address of the machine. */
const wildcardAddresses: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/** Parses the host names and origins for MCP tools, which only `withFlag` enables. */
export const readHosts = (
  words: FlagWords,
  withFlag: string,
  host: string,
  onlyThere: ReadonlyArray<string>,
): Result.Result<HostsRequest, UsageError> =>
  Result.gen(function* () {
    yield* onlyWith(words, withFlag, onlyThere)
    return {
      allowedHosts: allowedHostsOf(host, words.get("allow-host")),
      allowedOrigins: (yield* namesOf(words, "allow-origin", isOrigin, "https://app.example")) ?? [],
    }
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
