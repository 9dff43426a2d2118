/** Declares the options of the isolated leaf, checks them, and fills in their defaults. */
import * as Redacted from "effect/Redacted"
import { OptionError, refuseUnknownOptions, requireCount, showValue } from "../../base/OptionError.ts"
import type { CommandLimits } from "../../command/CommandLimits.ts"
import type { EgressProxyOptions } from "../../egress/EgressProxy.ts"
import { proxyVariables } from "../../egress/proxyVariables.ts"
import { isServerVariable } from "../../policy/inheritedVariables.ts"
import { leafOptionNames, type LeafOptions } from "../../shell/LeafOptions.ts"
import { type LocalShellSettings, resolveLocalSettings } from "../local/LocalShellOptions.ts"

/**
 * The network of isolated commands: none (an interface `lo` of their own), or the named hosts, through a proxy that commands
 * find by `HTTPS_PROXY` and the like. `*.example.com` allows all names below `example.com`, `example.com:8443` another port
 * than 443 and 80.
 */
export type IsolatedNetwork = "none" | EgressProxyOptions

/**
 * The program that builds the walls: `bwrap` (bubblewrap), or `unshare` with `mount` and `setpriv` of util-linux; on macOS
 * `sandbox-exec`, which was never run.
 */
export type IsolationEngine = "bwrap" | "unshare" | "sandbox-exec"

/** Options of the isolated leaf. Paths are absolute, relative to the current directory, or begin with `~/`. */
export interface IsolatedShellOptions extends LeafOptions {
  /** Folders that commands may write to. Default: none; `/tmp` and the home folder are private and start empty. */
  readonly writable?: ReadonlyArray<string> | undefined
  /** Files and folders that commands may read, beside programs and settings of the system. Default: none. */
  readonly readable?: ReadonlyArray<string> | undefined
  /** Files and folders inside of the others that commands see empty. Default: none, beside passwords and keys in `/etc`. */
  readonly hidden?: ReadonlyArray<string> | undefined
  /**
   * Names of further files and folders in each writable folder that commands may not write, such as `".github"`. Always
   * protected are `.env`, `.envrc`, `.vscode`, `.idea`, `.mcp.json`, `.claude`, keys, start-up files of shells, and of git
   * its hooks, configuration, submodules and worktrees.
   */
  readonly protected?: ReadonlyArray<string> | undefined
  /** The hosts that commands may connect to. Default: `"none"`. */
  readonly network?: IsolatedNetwork | undefined
  /** Maximum limits of any command: its own limits can only be lower. Default: none. */
  readonly limits?: CommandLimits | undefined
  /** Maximum size in bytes of each private folder: `/tmp`, `/var/tmp`, `/dev/shm` and the home folder. Default: 256 MiB. */
  readonly tmp?: { readonly maxBytes: number } | undefined
  /** Variables of every command, beside the inherited ones. Default: none. */
  readonly env?: Readonly<Record<string, string | Redacted.Redacted<string>>> | undefined
  /** Names of this program's variables that commands inherit; `*` matches any characters. Default: {@link defaultVariables}. */
  readonly inheritedVariables?: ReadonlyArray<string> | undefined
  /** Working directory of commands without one, and base of relative ones. Default: the first writable folder, or `/`. */
  readonly cwd?: string | undefined
  /** Shell of `useShell`. Default: `/bin/sh`. */
  readonly defaultShell?: string | undefined
  /** The engine to use. Default: the first that works. */
  readonly engine?: IsolationEngine | undefined
}

const optionNames: Readonly<Record<keyof IsolatedShellOptions, true>> = {
  ...leafOptionNames,
  writable: true,
  readable: true,
  hidden: true,
  protected: true,
  network: true,
  limits: true,
  tmp: true,
  env: true,
  inheritedVariables: true,
  cwd: true,
  defaultShell: true,
  engine: true,
}

/**
 * The variables that isolated commands inherit by default: the locations of programs, and settings of text.
 *
 * @example
 * ```ts
 * import { IsolatedShell } from "@sluice/shell/isolated"
 *
 * const { defaultVariables } = IsolatedShell
 * console.log(defaultVariables.includes("PATH") && !defaultVariables.includes("SSH_AUTH_SOCK")) // true
 * ```
 */
export const defaultVariables: ReadonlyArray<string> = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "NO_COLOR", "LANG", "LANGUAGE", "LC_*", "TZ"],
]

/** The options with their defaults. Paths are still as given. */
export interface IsolatedShellSettings {
  readonly local: LocalShellSettings
  readonly writable: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<string>
  readonly protected: ReadonlyArray<string>
  readonly network: IsolatedNetwork
  readonly maxTmpBytes: number
  readonly env: Readonly<Record<string, string | Redacted.Redacted<string>>>
  readonly engine: IsolationEngine | undefined
}

const engines: ReadonlyArray<IsolationEngine> = ["bwrap", "unshare", "sandbox-exec"]

/** Checks the option `network`, which plain JavaScript may get wrong: a typing error must not open the network. */
const checkNetwork = (network: IsolatedNetwork): IsolatedNetwork => {
  if (network === "none" || (typeof network === "object" && Array.isArray(network?.allow))) return network
  const given = typeof network === "object" ? `{ allow: ${showValue(network?.allow)} }` : showValue(network)
  throw new OptionError("network", `IsolatedShell: network must be "none" or { allow: ["host"] }, got ${given}`)
}

/**
 * Checks a list of paths or names: plain JavaScript may give a single one, and an empty path would be the current directory.
 */
const checkTexts = (option: string, texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isText = (text: unknown): boolean => typeof text === "string" && text !== "" && !text.includes("\0")
  if (Array.isArray(texts) && texts.every(isText)) return texts
  throw new OptionError(
    option,
    `IsolatedShell: ${option} must be a list of strings that are not empty, got ${showValue(texts)}`,
  )
}

const checkVariables = (env: Readonly<Record<string, unknown>>): void => {
  if (typeof env !== "object" || env === null) {
    throw new OptionError(
      "env",
      `IsolatedShell: env must be an object with a string for each name, got ${showValue(env)}`,
    )
  }
  for (const [name, value] of Object.entries(env)) {
    const text = Redacted.isRedacted(value) ? Redacted.value(value) : value
    const isVariable = /^[^=\0]+$/.test(name) && typeof text === "string" && !text.includes("\0")
    if (!isVariable) throw new OptionError("env", `IsolatedShell: env cannot have ${showValue(name)} with that value`)
    if (!isServerVariable(name)) continue
    throw new OptionError(
      "env",
      `IsolatedShell: env cannot have ${name}: it is a variable of Sluice, which no command inherits`,
    )
  }
}

const checkName = (name: string): string => {
  const isBelow = !name.startsWith("/") && name.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  if (isBelow) return name
  throw new OptionError(
    "protected",
    `IsolatedShell: protected must have names of files below writable folders, got ${showValue(name)}`,
  )
}

/** Fills in the defaults. */
export const resolveIsolatedSettings = (options: IsolatedShellOptions): IsolatedShellSettings => {
  refuseUnknownOptions("IsolatedShell", options, optionNames)
  const { cwd, defaultShell, engine, env: given, hidden, limits, network: asked, readable, tmp, writable, ...others } =
    options
  const { protected: protectedNames, ...leaf } = others
  const network = checkNetwork(asked ?? "none")
  checkVariables(given ?? {})
  const env = { ...network === "none" ? {} : proxyVariables(network), ...given }
  refuseUnknownOptions("IsolatedShell tmp", tmp ?? {}, { maxBytes: true })
  const maxTmpBytes = requireCount("IsolatedShell", "tmp.maxBytes", tmp?.maxBytes ?? 256 * 1024 * 1024, { min: 4096 })
  if (maxTmpBytes === Infinity) {
    throw new OptionError("tmp.maxBytes", "IsolatedShell: tmp.maxBytes is finite: private folders are kept in memory")
  }
  if (engine !== undefined && !engines.includes(engine)) {
    throw new OptionError(
      "engine",
      `IsolatedShell: engine must be one of ${engines.join(", ")}, got ${showValue(engine)}`,
    )
  }
  return {
    local: resolveLocalSettings({
      ...leaf,
      cwd,
      defaultShell,
      limits,
      inheritedVariables: [
        ...checkTexts("inheritedVariables", options.inheritedVariables ?? defaultVariables),
        ...Object.keys(env),
      ],
    }, "IsolatedShell"),
    writable: checkTexts("writable", writable ?? []),
    readable: checkTexts("readable", readable ?? []),
    hidden: checkTexts("hidden", hidden ?? []),
    protected: checkTexts("protected", protectedNames ?? []).map(checkName),
    network,
    maxTmpBytes,
    env,
    engine,
  }
}
