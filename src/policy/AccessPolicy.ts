/**
 * What callers may run: a policy before a shell.
 *
 * @module
 */
export { AccessPolicyError, type AccessPolicyErrorFields } from "./AccessPolicyError.ts"
export { type DeniedVariables, deniedVariables, harmlessVariables } from "./deniedVariables.ts"
export type { AccessPolicyFields, ArgumentRule, EnvironmentRuleFields } from "./fields.ts"
export type { LeafFiles, Pinned, SeenFile, Sighting } from "../shell/LeafFiles.ts"
export { AccessPolicy } from "./Policy.ts"
export { servedVariables } from "./inheritedVariables.ts"
export type { AccessRisk } from "./risks.ts"
