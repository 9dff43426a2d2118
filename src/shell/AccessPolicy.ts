/**
 * What callers may run: a policy before a shell.
 *
 * @module
 */
export { AccessPolicyError, type AccessPolicyErrorFields } from "./access/AccessPolicyError.ts"
export { type DeniedVariables, deniedVariables, harmlessVariables } from "./access/deniedVariables.ts"
export type { AccessPolicyFields, ArgumentRule, EnvironmentRuleFields } from "./access/fields.ts"
export type { LeafFiles, Pinned, SeenFile, Sighting } from "./access/LeafFiles.ts"
export { AccessPolicy } from "./access/Policy.ts"
export { servedVariables } from "./access/inheritedVariables.ts"
export type { AccessRisk } from "./access/risks.ts"
