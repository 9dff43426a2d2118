/**
 * Settings of the local leaves: both tables of the Compute document.
 *
 * @module
 */
import { refuseUnknownOptions } from "../../base/OptionError.ts"
import { type LeafOptions, type LeafSettings, leafSettings } from "../../shell/LeafOptions.ts"

/** Settings of a local leaf. */
export interface LocalShellOptions extends LeafOptions {
  /** Directory that commands run in when they name none, and that relative ones start from. Default: the process's. */
  readonly cwd?: string | undefined
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
}

/** The settings with their defaults. */
export interface LocalShellSettings extends LeafSettings {
  readonly workingDirectory: string | undefined
  readonly defaultShell: string | undefined
  readonly preferPowerShell: boolean
  readonly useJobObjects: boolean
}

const names: Readonly<Record<keyof LocalShellOptions, true>> = {
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
}

/**
 * Fills in the defaults. Throws an `OptionError` for an option that is unknown or no time span, and a `RangeError` for
 * limits under which nothing would ever run.
 */
export const settingsOf = (options: LocalShellOptions): LocalShellSettings => {
  refuseUnknownOptions("LocalShell", options, names)
  return settings(options)
}

const settings = (options: LocalShellOptions): LocalShellSettings => ({
  ...leafSettings("LocalShell", options),
  workingDirectory: options.cwd,
  defaultShell: options.defaultShell,
  preferPowerShell: options.preferPowerShell ?? false,
  useJobObjects: options.useJobObjects ?? true,
})
