/**
 * What callers may run: a policy before a shell.
 *
 * @module
 */
export { AccessPolicyError, type AccessPolicyErrorFields } from "./AccessPolicyError.ts"
export { type DeniedVariables, deniedVariables, harmlessVariables } from "./deniedVariables.ts"
export type { AccessPolicyFields, ArgumentRule, EnvironmentRuleFields } from "./fields.ts"
export type { FileLookup, FileSnapshot, LeafFiles, SpawnConstraints } from "../shell/LeafFiles.ts"
export { AccessPolicy } from "./AccessPolicy.ts"
export { servedVariables } from "./inheritedVariables.ts"
export type { AccessRisk } from "./risks.ts"
