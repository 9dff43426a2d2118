/**
 * Settings of the kernel leaf, as those of the local one where they mean the same.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import type { SandboxOptions } from "../../kernel/Sandbox.ts"
import type { AdmissionOptions } from "../../shell/Admission.ts"

/** How commands are run in a kernel. */
export interface KernelShellSettings {
  /** Shell of `useShell`: a program's name or path. Default: `/bin/sh`. */
  readonly defaultShell?: string | undefined
  /** Whether commands get the sandbox's environment. Default: `true`. */
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
}

/** A sandbox, and how commands are run in it. */
export interface KernelShellOptions extends Omit<SandboxOptions, "timeout">, KernelShellSettings {}

/** The settings with their defaults; times in milliseconds, `Infinity` for none. */
export interface Settled extends AdmissionOptions {
  readonly defaultShell: string
  readonly inheritEnvironment: boolean
  readonly defaultTimeoutMillis: number
  readonly gracePeriod: Duration.Duration
  readonly drainGraceMillis: number
  readonly localBin: boolean
}

const atLeast = (least: number, name: string, value: number): number => {
  if (value === Infinity || (Number.isInteger(value) && value >= least)) return value
  throw new RangeError(`KernelShell: ${name} is a whole number of at least ${least}, or Infinity; not ${value}`)
}

/** Fills in the defaults. Throws a `RangeError` for limits under which nothing would ever run. */
export const settle = (settings: KernelShellSettings): Settled => ({
  defaultShell: settings.defaultShell ?? "/bin/sh",
  inheritEnvironment: settings.inheritEnvironment ?? true,
  concurrencyLimit: atLeast(1, "concurrencyLimit", settings.concurrencyLimit ?? 4),
  queueLimit: atLeast(0, "queueLimit", settings.queueLimit ?? 1_000),
  defaultTimeoutMillis: settings.defaultTimeout === undefined
    ? Infinity
    : Duration.toMillis(Duration.fromInputUnsafe(settings.defaultTimeout)),
  gracePeriod: Duration.fromInputUnsafe(settings.gracePeriod ?? 5_000),
  drainGraceMillis: Duration.toMillis(Duration.fromInputUnsafe(settings.drainGrace ?? 100)),
  localBin: settings.localBin ?? false,
})
