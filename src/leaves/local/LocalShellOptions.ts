/** Declares the options of the local leaves, refuses unknown and invalid ones, and fills in their defaults. */
import { finiteFrom, refuseUnknownOptions, requireBooleans, requireCount } from "../../base/OptionError.ts"
import type { CommandLimits } from "../../command/CommandLimits.ts"
import { leafOptionNames, type LeafOptions, type LeafSettings, resolveLeafSettings } from "../../shell/LeafOptions.ts"
import { limits as limitNames } from "../../command/plain/execFields.ts"

/** Options of a local leaf. */
export interface LocalShellOptions extends LeafOptions {
  /** Working directory of commands without one, and base of relative ones. Default: the process's. */
  readonly cwd?: string | undefined
  /** Maximum limits of any command: its own limits can only be lower. Default: none. */
  readonly limits?: CommandLimits | undefined
  /**
   * Names of this process's variables that commands inherit; `*` matches any characters. `SLUICE_*`, `ALLOWED_COMMANDS` and
   * `ALLOWED_CWD_ROOTS` are then never inherited. Default: the whole environment, which scripts expect; a server for other
   * users should set `servedVariables` (of `@sluice/shell/access`), as `sluice serve` does.
   */
  readonly inheritedVariables?: ReadonlyArray<string> | undefined
  /** Shell of `useShell`. Default: `/bin/sh`; Windows: `cmd.exe`. */
  readonly defaultShell?: string | undefined
  /** Windows: `pwsh` or `powershell` instead of `cmd.exe`. Default: `false`. */
  readonly preferPowerShell?: boolean | undefined
  /**
   * Windows: puts each command into a job object, so that its descendants end with it, even if this program is killed.
   * Default: `true`, where kernel32.dll can be called: on Bun, and on Deno with `--allow-ffi`. Otherwise `taskkill /T /F`
   * ends the tree, which can miss processes that are just starting or have lost their parent.
   *
   * A command may leave processes in the background. With job objects they end with this program, because they are in a job
   * that Deno and Bun create for all of their children; without, they continue.
   */
  readonly useJobObjects?: boolean | undefined
  /**
   * Ends running commands when this program ends: normally, by `process.exit`, by an uncaught error, or by SIGINT, SIGTERM or
   * SIGHUP without a listener of its own; the signal then ends the program as usual. The trees get SIGTERM and a quarter of
   * a second. Listeners are installed only while a command runs. On Deno a program that adds its first listener with
   * `Deno.addSignalListener` while a command runs gets that signal twice. Default: `true`.
   */
  readonly cleanup?: boolean | undefined
  /**
   * Ends running commands even if this program is killed (SIGKILL, out of memory): a watchdog, a small `sh` that starts with
   * the first command and ends with the leaf, then ends all trees, with the grace period between SIGTERM and SIGKILL. Only on
   * Linux, where `sh` may be run. Default: `false`.
   */
  readonly dieWithParent?: boolean | undefined
}

export interface LocalShellSettings extends LeafSettings {
  /** Name of the leaf in messages. */
  readonly leaf: string
  readonly cwd: string | undefined
  readonly limits: CommandLimits | undefined
  readonly inheritedVariables: ReadonlyArray<string> | undefined
  readonly defaultShell: string | undefined
  readonly preferPowerShell: boolean
  readonly useJobObjects: boolean
  readonly cleanup: boolean
  readonly dieWithParent: boolean
  /** POSIX: each command leads a session of its own, without the terminal of this program. */
  readonly ownSession: boolean
}

const optionNames: Readonly<Record<keyof LocalShellOptions, true>> = {
  ...leafOptionNames,
  cwd: true,
  defaultShell: true,
  preferPowerShell: true,
  useJobObjects: true,
  inheritedVariables: true,
  cleanup: true,
  dieWithParent: true,
  limits: true,
}

/** Checks the limits of all commands: a misspelt one would limit nothing. */
const checkLimits = (leaf: string, limits: CommandLimits): CommandLimits => {
  refuseUnknownOptions(`${leaf} limits`, limits, limitNames)
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined) requireCount(leaf, `limits.${name}`, value, finiteFrom(1))
  }
  return limits
}

/** Checks the options, and fills in the defaults. `leaf` is named in messages. */
export const resolveLocalSettings = (options: LocalShellOptions, leaf = "LocalShell"): LocalShellSettings => {
  refuseUnknownOptions(leaf, options, optionNames)
  const { cleanup = true, dieWithParent = false, preferPowerShell = false, useJobObjects = true } = options
  return {
    leaf,
    ...resolveLeafSettings(leaf, options),
    cwd: options.cwd,
    limits: options.limits === undefined ? undefined : checkLimits(leaf, options.limits),
    inheritedVariables: options.inheritedVariables,
    defaultShell: options.defaultShell,
    ...requireBooleans(leaf, { cleanup, dieWithParent, preferPowerShell, useJobObjects }),
    ownSession: false,
  }
}
