/**
 * Settings of the kernel leaf, as those of the local one where they mean the same.
 *
 * @module
 */
import type { SandboxOptions } from "../../kernel/Sandbox.ts"
import { type LeafOptions, type LeafSettings, leafSettings } from "../../shell/LeafOptions.ts"

/** How commands are run in a kernel. */
export interface KernelShellSettings extends LeafOptions {
  /** Shell of `useShell`: a program's name or path. Default: `/bin/sh`. */
  readonly defaultShell?: string | undefined
}

/** A sandbox, and how commands are run in it. */
export interface KernelShellOptions extends Omit<SandboxOptions, "timeout">, KernelShellSettings {}

/** The settings with their defaults. */
export interface Settled extends LeafSettings {
  readonly defaultShell: string
}

/** Fills in the defaults. Throws a `RangeError` for limits under which nothing would ever run. */
export const settle = (settings: KernelShellSettings): Settled => ({
  ...leafSettings("KernelShell", settings),
  defaultShell: settings.defaultShell ?? "/bin/sh",
})
