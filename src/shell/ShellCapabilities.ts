/** Declares the capabilities of leaves, and fills in the defaults of those that a leaf leaves out. */
import type { CommandLimits } from "../command/CommandLimits.ts"

/**
 * The capabilities of a leaf. A leaf declares only capabilities that always hold: callers rely on them to refuse a
 * command or to fall back.
 */
export interface ShellCapabilities {
  /** The name of the leaf, such as `"local/deno"`. */
  readonly leaf: string
  /** The platform whose rules commands follow. */
  readonly platform: "posix" | "windows"
  /**
   * The way a command's whole process tree is signalled: by the leaf itself (`native`), through another program such as
   * `kill` (`helper`), or not at all (`none`: only the started process is signalled).
   */
  readonly groupKill: "native" | "helper" | "none"
  /** Whether descendants that left the group and lost their parent are found and ended too. */
  readonly escapees: boolean
  /**
   * Whether the remaining processes of a command whose host was killed can be found and ended by another program
   * (`ShellService.endOrphans`), or end by themselves. Not found are processes of other machines, containers or users
   * (unless this program runs as root), processes that lost their parent and cleared their environment, and on macOS
   * the system's own programs, whose environment is hidden.
   */
  readonly orphans: boolean
  /** The limits that can be enforced. */
  readonly limits: ReadonlyArray<keyof CommandLimits>
  /** Whether `mergeStreams` keeps the exact order of writes to stdout and stderr. */
  readonly exactOrder: boolean
  /** Whether commands can have a terminal. */
  readonly pty: boolean
  /**
   * Whether commands are isolated: every program that they start reaches only the files and the network that the leaf
   * was given. A leaf without isolation is bounded by an access policy at best.
   */
  readonly isolated: boolean
  /** Whether a slow consumer slows the command down. */
  readonly backPressure: boolean
  /** Whether names are resolved to full paths before the spawn. */
  readonly resolvesPath: boolean
}

const noCapabilities: ShellCapabilities = {
  leaf: "custom",
  platform: "posix",
  groupKill: "none",
  escapees: false,
  orphans: false,
  limits: [],
  exactOrder: false,
  pty: false,
  isolated: false,
  backPressure: false,
  resolvesPath: false,
}

/**
 * Fills in undeclared capabilities as missing, so that a new capability breaks no leaf.
 *
 * @example
 * ```ts
 * import { makeCapabilities } from "@sluice/shell/leaf"
 *
 * const capabilities = makeCapabilities({ leaf: "echo", backPressure: true })
 * console.log(capabilities.backPressure && !capabilities.pty && capabilities.groupKill) // none
 * ```
 */
export const makeCapabilities = (
  ...declared: ReadonlyArray<Partial<ShellCapabilities> | undefined>
): ShellCapabilities => declared.reduce<ShellCapabilities>((all, some) => ({ ...all, ...some }), noCapabilities)
