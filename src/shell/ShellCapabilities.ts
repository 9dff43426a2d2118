/** Declares the capabilities of leaves, and fills in the defaults of those that a leaf leaves out. */
import type { CommandLimits } from "../command/CommandLimits.ts"

/**
 * The capabilities of a leaf. A leaf declares only those that always hold: callers refuse or fall back by them.
 */
export interface ShellCapabilities {
  /** The name of the leaf, such as `"local/deno"`. */
  readonly leaf: string
  /** The platform whose rules commands follow. */
  readonly platform: "posix" | "windows"
  /**
   * How a command's whole process tree is signalled: by the leaf itself (`native`), through another program such as
   * `kill` (`helper`), or not at all (`none`: only the started process is signalled).
   */
  readonly groupKill: "native" | "helper" | "none"
  /** Whether descendants that left the group and lost their parent are found and ended too. */
  readonly escapees: boolean
  /**
   * Whether the remaining processes of a command whose host was killed can be found and ended by another program
   * (`ShellService.endOrphans`), or end by themselves. Processes of other machines, containers or users (except as root) are
   * not found, nor those that lost their parent and cleared their environment; on macOS nor programs of the system itself,
   * whose environment it hides.
   */
  readonly orphans: boolean
  /** The limits that can be enforced. */
  readonly limits: ReadonlyArray<keyof CommandLimits>
  /** Whether `mergeStreams` keeps the exact order of writes to stdout and stderr. */
  readonly exactOrder: boolean
  /** Whether commands can have a terminal. */
  readonly pty: boolean
  /**
   * Whether commands run behind walls: whatever program they start, it reaches the files and the network that the leaf was
   * given, and nothing else. A leaf without them is bounded by an access policy at best.
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
