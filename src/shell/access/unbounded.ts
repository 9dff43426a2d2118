/**
 * The commands of a policy that bound nothing.
 *
 * @module
 */
import type { AccessPolicySettings } from "./fields.ts"
import { launcherOf } from "./launchers/table.ts"
import { commonName } from "./Rules.ts"

/** Entries of the list with which a caller may run anything: `*`, interpreters, and what runs what its files say. */
export const unboundedOf = ({ allowedCommands, code }: AccessPolicySettings): ReadonlyArray<string> =>
  allowedCommands.filter((entry) => {
    if (entry === "*") return true
    const platform = entry.includes("\\") ? "windows" : "posix"
    return code !== "refuse" && launcherOf(commonName(entry, platform), undefined)?.([])._tag === "Code"
  })
