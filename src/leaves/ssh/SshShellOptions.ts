/** Declares the options of the SSH leaf, refuses unknown and invalid ones, and fills in their defaults. */
import { OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import { leafOptionNames, type LeafOptions, type LeafSettings, resolveLeafSettings } from "../../shell/LeafOptions.ts"
import type { SshConnectionOptions } from "./SshConnectionOptions.ts"

/**
 * Options of the SSH leaf beside those of its connection. `extendEnv`: whether commands get the environment of the
 * session on the server. `maxConcurrency`: OpenSSH has 10 sessions for a connection (`MaxSessions`), and the leaf
 * itself needs one; a further command waits until another has ended.
 */
export interface SshLeafOptions extends LeafOptions {
  /** Working directory of commands without one, and base of relative ones. Default: the home directory. */
  readonly cwd?: string | undefined
  /** Shell of `useShell`. Default: `/bin/sh`. */
  readonly defaultShell?: string | undefined
}

/** Options of the SSH leaf with a connection of its own. */
export interface SshShellOptions extends SshLeafOptions, SshConnectionOptions {}

export interface SshLeafSettings extends LeafSettings {
  readonly cwd: string | undefined
  readonly defaultShell: string
}

export const sshLeafOptionNames: Readonly<Record<keyof SshLeafOptions, true>> = {
  ...leafOptionNames,
  cwd: true,
  defaultShell: true,
}

const nonEmpty = (option: string, value: string | undefined): void => {
  if (value === undefined || (value !== "" && !value.includes("\0"))) return
  throw new OptionError(option, `SshShell: ${option} is empty, or has a NUL`)
}

/** Fills in the defaults. */
export const resolveSshLeaf = (options: SshLeafOptions): SshLeafSettings => {
  refuseUnknownOptions("SshShell", options, sshLeafOptionNames)
  nonEmpty("cwd", options.cwd)
  nonEmpty("defaultShell", options.defaultShell)
  return {
    ...resolveLeafSettings("SshShell", options),
    cwd: options.cwd,
    defaultShell: options.defaultShell ?? "/bin/sh",
  }
}
