/**
 * Settings of the local leaves: both tables of the Compute document.
 *
 * @module
 */
import * as Duration from "effect/Duration"

/** Settings of a local leaf. */
export interface LocalShellOptions {
  /** Directory that commands run in when they name none, and that relative ones start from. Default: the process's. */
  readonly workingDirectory?: string | undefined
  /** Shell of `useShell`. Default: `/bin/sh`; Windows: `cmd.exe`. */
  readonly defaultShell?: string | undefined
  /** Windows: `pwsh` or `powershell` instead of `cmd.exe`. Default: `false`. */
  readonly preferPowerShell?: boolean | undefined
  /** Whether commands get this process's environment. Default: `true`. */
  readonly inheritEnvironment?: boolean | undefined
  /** Commands that run at once. Default: 4. */
  readonly concurrencyLimit?: number | undefined
  /** Commands that wait for a place, in order; the next is `Throttled`. Default: 1,000. */
  readonly queueLimit?: number | undefined
  /** Timeout of commands that name none. Default: none. */
  readonly defaultTimeout?: Duration.Input | undefined
  /** Time between SIGTERM and SIGKILL of commands that name none. Default: 5 s. */
  readonly gracePeriod?: Duration.Input | undefined
  /** Silence after which a pipe is given up when the command has exited but a process left behind holds it. Default: 100 ms. */
  readonly drainGrace?: Duration.Input | undefined
  /** Put `node_modules/.bin` of the working directory and its parents first on PATH. Default: `false`. */
  readonly localBin?: boolean | undefined
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

/** The settings with their defaults; times in milliseconds, `Infinity` for none. */
export interface LocalShellSettings {
  readonly workingDirectory: string | undefined
  readonly defaultShell: string | undefined
  readonly preferPowerShell: boolean
  readonly inheritEnvironment: boolean
  readonly concurrencyLimit: number
  readonly queueLimit: number
  readonly defaultTimeoutMillis: number
  readonly gracePeriod: Duration.Duration
  readonly drainGraceMillis: number
  readonly localBin: boolean
  readonly useJobObjects: boolean
}

const atLeast = (least: number, name: string, value: number): number => {
  if (value === Infinity || (Number.isInteger(value) && value >= least)) return value
  throw new RangeError(`LocalShell: ${name} is a whole number of at least ${least}, or Infinity; not ${value}`)
}

/** Fills in the defaults. Throws a `RangeError` for limits under which nothing would ever run. */
export const settingsOf = (options: LocalShellOptions): LocalShellSettings => ({
  workingDirectory: options.workingDirectory,
  defaultShell: options.defaultShell,
  preferPowerShell: options.preferPowerShell ?? false,
  inheritEnvironment: options.inheritEnvironment ?? true,
  concurrencyLimit: atLeast(1, "concurrencyLimit", options.concurrencyLimit ?? 4),
  queueLimit: atLeast(0, "queueLimit", options.queueLimit ?? 1_000),
  defaultTimeoutMillis: options.defaultTimeout === undefined
    ? Infinity
    : Duration.toMillis(Duration.fromInputUnsafe(options.defaultTimeout)),
  gracePeriod: Duration.fromInputUnsafe(options.gracePeriod ?? 5_000),
  drainGraceMillis: Duration.toMillis(Duration.fromInputUnsafe(options.drainGrace ?? 100)),
  localBin: options.localBin ?? false,
  useJobObjects: options.useJobObjects ?? true,
})
