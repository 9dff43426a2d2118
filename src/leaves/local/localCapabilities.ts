/**
 * Declares the capabilities of the local leaf and of its dry run on a host.
 *
 * @module
 */
import type { ShellCapabilities } from "../../shell/ShellCapabilities.ts"
import type { Host } from "./Host.ts"
import { enforceableLimits } from "./resourceLimits.ts"

/** The facts that the capabilities depend on, in addition to the host. */
export interface CapabilityFacts extends Pick<ShellCapabilities, "leaf" | "groupKill" | "escapees" | "orphans"> {
  /** The system's shell, where it may be run. */
  readonly shell: string | undefined
  /** Finds `prlimit`; called when the limits are read. */
  readonly prlimit: () => string | undefined
}

/** The capabilities of commands on a host. The limits are computed when they are read, with a system call. */
export const localCapabilities = (
  host: Host,
  { escapees, groupKill, leaf, orphans, prlimit, shell }: CapabilityFacts,
): ShellCapabilities => {
  const platform = host.os === "windows" ? "windows" : "posix"
  return {
    leaf,
    platform,
    groupKill,
    escapees,
    orphans,
    get limits() {
      return enforceableLimits(host, prlimit())
    },
    exactOrder: platform === "windows" || shell !== undefined,
    pty: false,
    backPressure: true,
    resolvesPath: host.fileKind("/") === "directory",
  }
}
