/**
 * Settings of the local leaves: both tables of the Compute document.
 *
 * @module
 */
import { refuseUnknownOptions } from "../../base/OptionError.ts"
import type { CommandLimits } from "../../command/CommandLimits.ts"
import { type LeafOptions, type LeafSettings, resolveLeafSettings } from "../../shell/LeafOptions.ts"

/** Settings of a local leaf. */
export interface LocalShellOptions extends LeafOptions {
  /** Directory that commands run in when they name none, and that relative ones start from. Default: the process's. */
  readonly cwd?: string | undefined
  /** The most that any command may use: its own limits can only be lower. Default: none. */
  readonly limits?: CommandLimits | undefined
  /**
   * Variables of this process that commands inherit, by name; `*` stands for any characters. `SLUICE_*`,
   * `ALLOWED_COMMANDS` and `ALLOWED_CWD_ROOTS` are never inherited then. Default: all of the environment, which is what
   * a script expects; a server of others gives `servedVariables` (of `@sluice/shell/access`), as `sluice serve` does.
   */
  readonly inheritedVariables?: ReadonlyArray<string> | undefined
  /** Shell of `useShell`. Default: `/bin/sh`; Windows: `cmd.exe`. */
  readonly defaultShell?: string | undefined
  /** Windows: `pwsh` or `powershell` instead of `cmd.exe`. Default: `false`. */
  readonly preferPowerShell?: boolean | undefined
  /**
   * Windows: put each command into a job object, so that its descendants end with it, also when this program is
   * killed. Default: `true`, where kernel32.dll can be called: on Bun, and on Deno with `--allow-ffi`. Elsewhere (and
   * without it) the tree is ended by `taskkill /T /F`, which can miss who is just being started or lost its parent.
   *
   * A command that ends by itself may leave processes in the background. With job objects they end with this
   * program, because it has them in a job that Deno and Bun make for all that they start; without, they stay.
   */
  readonly useJobObjects?: boolean | undefined
  /**
   * End what runs when this program ends: by itself, by `process.exit`, by an error that nobody caught, or by SIGINT,
   * SIGTERM or SIGHUP that it does not listen to itself; the signal then ends it as before. The trees get SIGTERM and a
   * quarter of a second. Listeners are there only while something runs. On Deno a program that listens to a signal with
   * `Deno.addSignalListener` for the first time while a command runs gets that signal twice. Default: `true`.
   */
  readonly cleanup?: boolean | undefined
  /**
   * End what runs also when this program is killed (SIGKILL, the system is out of memory): a watchdog, a small `sh` that
   * is started with the first command and ends with the leaf, sees it and ends all trees, with the grace period between
   * SIGTERM and SIGKILL. Only on Linux, where `sh` may be run. Default: `false`.
   */
  readonly dieWithParent?: boolean | undefined
}

/** The settings with their defaults. */
export interface LocalShellSettings extends LeafSettings {
  readonly workingDirectory: string | undefined
  readonly limits: CommandLimits | undefined
  readonly inheritedVariables: ReadonlyArray<string> | undefined
  readonly defaultShell: string | undefined
  readonly preferPowerShell: boolean
  readonly useJobObjects: boolean
  readonly cleanup: boolean
  readonly dieWithParent: boolean
}

const optionNames: Readonly<Record<keyof LocalShellOptions, true>> = {
  cwd: true,
  extendEnv: true,
  concurrencyLimit: true,
  queueLimit: true,
  timeout: true,
  grace: true,
  drainGrace: true,
  localBin: true,
  defaultShell: true,
  preferPowerShell: true,
  useJobObjects: true,
  inheritedVariables: true,
  cleanup: true,
  dieWithParent: true,
  limits: true,
}

/**
 * Fills in the defaults.
 *
 * @throws {OptionError} for an option that is unknown or not a time span, or a limit under which no command would ever run.
 */
export const resolveLocalSettings = (options: LocalShellOptions): LocalShellSettings => {
  refuseUnknownOptions("LocalShell", options, optionNames)
  return {
    ...resolveLeafSettings("LocalShell", options),
    workingDirectory: options.cwd,
    limits: options.limits,
    inheritedVariables: options.inheritedVariables,
    defaultShell: options.defaultShell,
    preferPowerShell: options.preferPowerShell ?? false,
    useJobObjects: options.useJobObjects ?? true,
    cleanup: options.cleanup ?? true,
    dieWithParent: options.dieWithParent ?? false,
  }
}
