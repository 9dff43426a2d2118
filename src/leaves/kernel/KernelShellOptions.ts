/** Declares the options of the kernel leaf, and resolves those of commands. */
import { sandboxOptionNames } from "../../kernel/sandbox/makeSandbox.ts"
import type { SandboxOptions } from "../../kernel/sandbox/SandboxOptions.ts"
import { leafOptionNames, type LeafOptions, type LeafSettings, resolveLeafSettings } from "../../shell/LeafOptions.ts"

/** Options of commands that run in a kernel. */
export interface KernelCommandOptions extends LeafOptions {
  /** Shell of `useShell`: a program's name or path. Default: `/bin/sh`. */
  readonly defaultShell?: string | undefined
}

/** A sandbox, and how commands run in it. */
export interface KernelShellOptions extends Omit<SandboxOptions, "timeout">, KernelCommandOptions {}

/** Every option of the leaf: an option with another name is refused. */
export const kernelShellOptionNames: Readonly<Record<keyof KernelShellOptions, true>> = {
  ...sandboxOptionNames,
  ...leafOptionNames,
  defaultShell: true,
}

export interface KernelShellSettings extends LeafSettings {
  readonly defaultShell: string
}

/**
 * Fills in the defaults.
 *
 * @throws {OptionError} for an option that is no time span or limit
 */
export const resolveSettings = (options: KernelCommandOptions): KernelShellSettings => ({
  ...resolveLeafSettings("KernelShell", options),
  defaultShell: options.defaultShell ?? "/bin/sh",
})
