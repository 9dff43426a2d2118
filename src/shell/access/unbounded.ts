/**
 * The commands of a policy that bound nothing.
 *
 * @module
 */
import type { AccessPolicySettings } from "./fields.ts"
import { launcherOf } from "./launchers/table.ts"
import { commonName } from "./commonName.ts"

/** Entries of the list with which a caller may run anything: `*`, interpreters, and what runs what its files say. */
export const unboundedOf = ({ allowedCommands, code }: AccessPolicySettings): ReadonlyArray<string> =>
  allowedCommands.filter((entry) => {
    if (entry === "*") return true
    const platform = entry.includes("\\") ? "windows" : "posix"
    return code !== "refuse" && launcherOf(commonName(entry, platform), undefined)?.([])._tag === "Code"
  })

/**
 * Whether a caller may run anything through one of the list, whatever its arguments: then nothing is gained by refusing
 * what only keeps a script from running other programs. A rule for the arguments of such an entry may bound it.
 */
export const isLenient = (policy: AccessPolicySettings): boolean => {
  const ruled = new Set(Object.keys(policy.argumentRules ?? {}).map((name) => commonName(name, "posix")))
  return policy.code !== "refuse" &&
    unboundedOf(policy).some((entry) => !ruled.has(commonName(entry, "posix")) && (entry !== "*" || ruled.size === 0))
}
