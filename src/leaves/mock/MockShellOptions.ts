/** Declares the options of a mock shell and fills in their defaults. */
import { refuseUnknownOptions, requireBooleans } from "../../base/OptionError.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { leafOptionNames, type LeafOptions, type LeafSettings, resolveLeafSettings } from "../../shell/LeafOptions.ts"
import type { ShellCapabilities } from "../../shell/ShellCapabilities.ts"

/** Options of a mock shell. Options that a local leaf also has have the same defaults. */
export interface MockShellOptions extends Omit<LeafOptions, "extendEnv" | "localBin"> {
  /** Requires the commands to come in the order of the rules, each rule once. Default: `false`. */
  readonly ordered?: boolean | undefined
  /** Path of the executable in events. Default: the command itself; for a script the system's shell. */
  readonly executable?: ((exec: ShellExec) => string) | undefined
  /** Capabilities of the leaf. Default: `leaf: "mock"`, POSIX, and all of them. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

export interface MockShellSettings extends LeafSettings {
  readonly ordered: boolean
  readonly executable: (exec: ShellExec) => string
  readonly capabilities: ShellCapabilities
}

const allCapabilities: ShellCapabilities = {
  leaf: "mock",
  platform: "posix",
  groupKill: "native",
  escapees: true,
  orphans: true,
  limits: ["memoryBytes", "cpuSeconds", "processes", "fileSizeBytes"],
  exactOrder: true,
  pty: false,
  isolated: false,
  backPressure: true,
  resolvesPath: false,
}

const { extendEnv: _extendEnv, localBin: _localBin, ...commonNames } = leafOptionNames

const optionNames: Readonly<Record<keyof MockShellOptions, true>> = {
  ...commonNames,
  ordered: true,
  executable: true,
  capabilities: true,
}

export const resolveMockSettings = (options: MockShellOptions): MockShellSettings => {
  refuseUnknownOptions("MockShell", options, optionNames)
  const capabilities = { ...allCapabilities, ...options.capabilities }
  const { ordered = false } = options
  const systemShell = capabilities.platform === "posix" ? "/bin/sh" : "C:\\Windows\\System32\\cmd.exe"
  return {
    ...resolveLeafSettings("MockShell", options),
    ...requireBooleans("MockShell", { ordered }),
    executable: options.executable ?? ((exec) => exec.useShell ? systemShell : exec.command),
    capabilities,
  }
}
