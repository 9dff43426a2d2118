/** Declares how a leaf that is built on the local one encloses its commands. */
import type { ShellExec } from "../../command/ShellExec.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import type { Host } from "../../host/Host.ts"
import type { LocalCommand } from "./plan/planCommand.ts"

/** The enclosure of a leaf's commands. Its helpers (the watchdog, `kill`) are not enclosed. */
export interface Enclosure {
  /** The name of the leaf before that of its runtime, such as `"isolated"`. */
  readonly leaf: string
  /**
   * Whether commands reach only those parts of this machine that the enclosure lets in. An access policy then does not
   * restrict what git starts, and a portable script does not see the files of this program.
   */
  readonly isolates: boolean
  readonly wrap: (host: Host) => Host
  /** Refuses a planned command that cannot run enclosed. */
  readonly check: (exec: ShellExec, command: LocalCommand) => ShellFault | undefined
}
