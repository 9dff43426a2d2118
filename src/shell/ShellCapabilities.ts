/**
 * What a leaf can do.
 *
 * @module
 */
import type { CommandLimits } from "../command/CommandLimits.ts"

/** What a leaf can do, so that nothing is half done in silence. */
export interface ShellCapabilities {
  /** Which leaf this is, such as `"local/deno"`. */
  readonly leaf: string
  /** Whose rules commands follow. */
  readonly platform: "posix" | "windows"
  /**
   * How a command's whole process tree is signalled: by the leaf itself (`native`), through another program such as
   * `kill` (`helper`), or not at all (`none`: only the process that was started is).
   */
  readonly groupKill: "native" | "helper" | "none"
  /** Whether descendants that left the group and lost their parent are found and ended too. */
  readonly escapees: boolean
  /**
   * Whether what is left of a command whose host was killed can be found and ended by another program
   * (`ShellService.endOrphans`), or ends by itself. Not found are processes that cannot be seen from here: of another
   * machine or container, of another user (unless this is root), and those that lost their parent and cleared their
   * environment; on macOS also programs of the system itself, whose environment it hides.
   */
  readonly orphans: boolean
  /** The limits that can be enforced. */
  readonly limits: ReadonlyArray<keyof CommandLimits>
  /** Whether `mergeStreams` keeps the exact order of writes to stdout and stderr. */
  readonly exactOrder: boolean
  /** Whether commands can have a terminal. */
  readonly pty: boolean
  /** Whether a slow consumer slows the command down. */
  readonly backPressure: boolean
  /** Whether names are resolved to full paths before the spawn. */
  readonly resolvesPath: boolean
}
