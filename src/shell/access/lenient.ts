/**
 * Whether a list bounds anything.
 *
 * @module
 */
import { commonName } from "./commonName.ts"
import type { AccessPolicySettings } from "./fields.ts"
import { unboundedOf } from "./risks.ts"

/**
 * Whether a caller may run anything through one entry of the list, whatever its arguments: then nothing is gained by
 * refusing what only keeps a script from running other programs. A rule for the arguments of such an entry may bound it.
 */
export const isLenient = (policy: AccessPolicySettings): boolean => {
  const ruled = new Set(Object.keys(policy.argumentRules ?? {}).map((name) => commonName(name, "posix")))
  return policy.code !== "refuse" &&
    unboundedOf(policy).some((entry) => !ruled.has(commonName(entry, "posix")) && (entry !== "*" || ruled.size === 0))
}
