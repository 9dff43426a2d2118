/** Declares the options of the replay leaf. */
import type * as Redactor from "../../journal/redaction/Redactor.ts"
import type { ShellCapabilities } from "../../shell/ShellCapabilities.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { ReplaySpeed } from "./ReplayClock.ts"
import type { ReplayKey } from "./ReplayKey.ts"

/** Options of matching and playing recordings. */
export interface ReplayOptions {
  /**
   * The fields that must be equal in a command and a recorded one: names of fields, or a function whose results must be.
   * Secrets are not recorded and count as equal; the function gets both commands without them. Default: command, arguments,
   * working directory, input, and whether it is a script.
   */
  readonly key?: ReplayKey | undefined
  /**
   * As recorded, a multiple of that speed (`0.5` is half as fast), or `"max"`, without waiting. Default: `"recorded"`.
   */
  readonly speed?: ReplaySpeed | undefined
  /**
   * Whether the last recording of a key answers repeatedly; otherwise further commands fail. Recordings with the same
   * key answer in their order. Default: `true`.
   */
  readonly repeat?: boolean | undefined
  /** Runs commands that were not recorded. Default: none; such a command fails. */
  readonly onUnmatched?: ShellService | undefined
  /** The redactor that commands were recorded with. Default: none. */
  readonly redactor?: Redactor.Redactor | undefined
  /** Maximum number of recordings to use, the newest first. Default: 100,000. */
  readonly maxRecordings?: number | undefined
  /** Capabilities of the leaf. Default: `leaf: "replay"`, POSIX, and all but `orphans`, `pty` and `resolvesPath`. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}
