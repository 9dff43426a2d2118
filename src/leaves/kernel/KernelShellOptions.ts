/**
 * Settings of the kernel leaf, as those of the local one where they mean the same.
 *
 * @module
 */
import type { SandboxOptions } from "../../kernel/Sandbox.ts"
import { type LeafOptions, type LeafSettings, leafSettings } from "../../shell/LeafOptions.ts"

/** How commands are run in a kernel. */
export interface KernelCommandOptions extends LeafOptions {
  /** Shell of `useShell`: a program's name or path. Default: `/bin/sh`. */
  readonly defaultShell?: string | undefined
}

/** A sandbox, and how commands are run in it. */
export interface KernelShellOptions extends Omit<SandboxOptions, "timeout">, KernelCommandOptions {}

/** All options of the leaf: one that is none of them is refused. */
export const kernelShellOptionNames: Readonly<Record<keyof KernelShellOptions, true>> = {
  files: true,
  programs: true,
  extensions: true,
  allow: true,
  mounts: true,
  env: true,
  cwd: true,
  limits: true,
  network: true,
  clock: true,
  random: true,
  sequential: true,
  isolate: true,
  preopens: true,
  workers: true,
  defaultShell: true,
  extendEnv: true,
  concurrencyLimit: true,
  queueLimit: true,
  timeout: true,
  grace: true,
  drainGrace: true,
  localBin: true,
}

/** The settings with their defaults. */
export interface KernelShellSettings extends LeafSettings {
  readonly defaultShell: string
}

/** Fills in the defaults. Throws a `RangeError` for limits under which nothing would ever run. */
export const resolveSettings = (settings: KernelCommandOptions): KernelShellSettings => ({
  ...leafSettings("KernelShell", settings),
  defaultShell: settings.defaultShell ?? "/bin/sh",
})
