/** Declares the options of an SSH connection, checks them, and fills in their defaults. */
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { type DurationInput, positiveMillisOf } from "../../base/duration.ts"
import { OptionError, refuseUnknownOptions, requireCount, showValue } from "../../base/OptionError.ts"
import type { SshError } from "./SshError.ts"

/** A question of the server for keyboard-interactive authentication: a password, a one-time code. */
export interface SshQuestion {
  /** The text of the server. */
  readonly prompt: string
  /** Whether the answer may be shown while it is typed. */
  readonly echo: boolean
}

/**
 * One authentication method:
 *
 * - `agent`: keys of an agent: `true` for the one at `SSH_AUTH_SOCK`, or the path of its socket.
 * - `privateKey`: a key in the format of OpenSSH or PEM, with the `passphrase` of an encrypted one.
 * - `password`.
 * - `keyboardInteractive`: answers to the questions of the server, in their order.
 */
export type SshAuth =
  | { readonly agent: true | string }
  | {
    readonly privateKey: Redacted.Redacted<string>
    readonly passphrase?: Redacted.Redacted<string> | undefined
  }
  | { readonly password: Redacted.Redacted<string> }
  | {
    readonly keyboardInteractive: (
      questions: ReadonlyArray<SshQuestion>,
    ) => Promise<ReadonlyArray<Redacted.Redacted<string>>> | ReadonlyArray<Redacted.Redacted<string>>
  }

/**
 * The keys that the server may have: a fingerprint (`SHA256:…`), a public key (`ssh-ed25519 AAAA…`), several of them, or
 * files in the format of `known_hosts`.
 */
export type SshHostKey =
  | string
  | ReadonlyArray<string>
  | { readonly knownHosts: string | ReadonlyArray<string> }

/** A server, its user and its key. */
export interface SshHop {
  /** Its name or address. */
  readonly host: string
  /** Default: 22. */
  readonly port?: number | undefined
  /** The user there. */
  readonly user: string
  /** Authentication of the user; several methods are tried in order. */
  readonly auth: SshAuth | ReadonlyArray<SshAuth>
  /**
   * The keys that the server may have. Any other key is refused, and an unknown one is never trusted silently. Default:
   * `~/.ssh/known_hosts` and `/etc/ssh/ssh_known_hosts`.
   */
  readonly hostKey?: SshHostKey | undefined
}

/** Options of an SSH connection. */
export interface SshConnectionOptions extends SshHop {
  /** Servers on the way, the nearest first; the connection goes through each of them. Default: none. */
  readonly proxyJump?: ReadonlyArray<SshHop> | undefined
  /** Time for a connection, with authentication, and for the start of a command on it. Default: 20 s. */
  readonly connectTimeout?: DurationInput | undefined
  /** Interval of keep-alive requests; after three without an answer the connection is lost. Default: 15 s. */
  readonly keepAlive?: DurationInput | undefined
  /**
   * Retries of a connection that failed for a transient reason (DNS, refused, unreachable, timeout). Default: three times,
   * after about 0.25, 0.5 and 1 s.
   */
  readonly reconnect?: Schedule.Schedule<unknown, SshError> | undefined
}

/** A hop, resolved. */
export interface HopSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly auth: ReadonlyArray<SshAuth>
  readonly hostKey: { readonly keys: ReadonlyArray<string> } | { readonly knownHosts: ReadonlyArray<string> }
}

export interface SshConnectionSettings {
  /** From the nearest to the server itself. */
  readonly hops: readonly [HopSettings, ...Array<HopSettings>]
  readonly target: HopSettings
  readonly connectTimeoutMillis: number
  readonly keepAliveMillis: number
  readonly reconnect: Schedule.Schedule<unknown, SshError>
}

const hopOptionNames: Readonly<Record<keyof SshHop, true>> = {
  host: true,
  port: true,
  user: true,
  auth: true,
  hostKey: true,
}

export const connectionOptionNames: Readonly<Record<keyof SshConnectionOptions, true>> = {
  ...hopOptionNames,
  proxyJump: true,
  connectTimeout: true,
  keepAlive: true,
  reconnect: true,
}

/** `host:port`, for messages. */
export const serverOf = ({ host, port }: Pick<HopSettings, "host" | "port">): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`

const requireText = (leaf: string, option: string, value: unknown): string => {
  if (typeof value === "string" && value !== "" && !/[\0\s]/.test(value)) return value
  throw new OptionError(option, `${leaf}: ${option} must be a string without blanks, got ${showValue(value)}`)
}

const hostOf = (leaf: string, value: unknown): string => {
  const host = requireText(leaf, "host", value)
  if (!/[@/]|^[^:]*:\d*$/.test(host)) return host
  throw new OptionError(
    "host",
    `${leaf}: host must be only a name or an address, got ${showValue(host)}; user and port are separate options`,
  )
}

const knownHostsFiles = ["~/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts"]

const isList = <A>(u: A | ReadonlyArray<A>): u is ReadonlyArray<A> => Array.isArray(u)

const hostKeyOf = (leaf: string, hostKey: SshHostKey | undefined): HopSettings["hostKey"] => {
  if (hostKey === undefined) return { knownHosts: knownHostsFiles }
  if (typeof hostKey === "object" && hostKey !== null && "knownHosts" in hostKey) {
    const { knownHosts } = hostKey
    return { knownHosts: isList(knownHosts) ? knownHosts : [knownHosts] }
  }
  // Text from a file, such as ssh_host_ed25519_key.pub, ends with a line break.
  const keys = (isList<string>(hostKey) ? hostKey : [hostKey]).map((key) => typeof key === "string" ? key.trim() : key)
  const wrong = keys.find((key) => !/^(?:SHA256:[A-Za-z0-9+/]{43}=?|[a-z0-9@.-]+ [A-Za-z0-9+/]+=*(?: .*)?)$/.test(key))
  if (keys.length > 0 && wrong === undefined) return { keys }
  throw new OptionError(
    "hostKey",
    `${leaf}: hostKey must be a fingerprint (SHA256:…), a public key (ssh-ed25519 AAAA…), a list of them, or { knownHosts }, got ${
      showValue(wrong ?? "an empty list")
    }`,
  )
}

const authNames = ["agent", "privateKey", "password", "keyboardInteractive"]

/** `{ agent: false }` is not a method, and would try the agent. */
const isMethod = (method: unknown): boolean =>
  typeof method === "object" && method !== null && authNames.some((name) => name in method) &&
  !("agent" in method && method.agent !== true && typeof method.agent !== "string")

const secretNames = ["privateKey", "passphrase", "password"]

const hopOf = (leaf: string, hop: SshHop): HopSettings => {
  const { auth, host, hostKey, port = 22, user } = hop
  const methods = isList(auth) ? auth : auth === undefined ? [] : [auth]
  if (methods.length === 0 || !methods.every(isMethod)) {
    throw new OptionError("auth", `${leaf}: auth is one of { ${authNames.join(" }, { ")} }, or a list of them`)
  }
  for (const method of methods) {
    for (const [name, value] of Object.entries(method)) {
      if (!secretNames.includes(name) || value === undefined || Redacted.isRedacted(value)) continue
      throw new OptionError("auth", `${leaf}: ${name} is a secret: give it as Redacted.make(${name})`)
    }
  }
  requireCount(leaf, "port", port, { min: 1, max: 65_535 })
  return {
    host: hostOf(leaf, host),
    port,
    user: requireText(leaf, "user", user),
    auth: methods,
    hostKey: hostKeyOf(leaf, hostKey),
  }
}

const defaultReconnect = /* @__PURE__ */ Schedule.exponential("250 millis").pipe(
  Schedule.jittered,
  Schedule.upTo({ times: 3 }),
  Schedule.setInputType<SshError>(),
)

/** Fills in the defaults. */
export const resolveConnection = (leaf: string, options: SshConnectionOptions): SshConnectionSettings => {
  const { connectTimeout = "20 seconds", keepAlive = "15 seconds", proxyJump = [], reconnect } = options
  if (!Array.isArray(proxyJump)) {
    throw new OptionError(
      "proxyJump",
      `${leaf}: proxyJump must be a list of { host, user, auth }, got ${showValue(proxyJump)}`,
    )
  }
  if (reconnect !== undefined && !Schedule.isSchedule(reconnect)) {
    throw new OptionError(
      "reconnect",
      `${leaf}: reconnect must be a Schedule, such as Schedule.recurs(3), got ${showValue(reconnect)}`,
    )
  }
  const jumps = proxyJump.map((hop) => {
    refuseUnknownOptions(`${leaf}: proxyJump`, hop, hopOptionNames)
    return hopOf(leaf, hop)
  })
  const target = hopOf(leaf, options)
  const [first, ...rest] = [...jumps, target]
  return {
    hops: first === undefined ? [target] : [first, ...rest],
    target,
    connectTimeoutMillis: positiveMillisOf("connectTimeout", connectTimeout),
    keepAliveMillis: positiveMillisOf("keepAlive", keepAlive),
    reconnect: reconnect ?? defaultReconnect,
  }
}
