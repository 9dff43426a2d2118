/**
 * Public module of access policies: which commands callers may run, where, with which variables, for how long.
 *
 * No library fits: sudo, AppArmor and seccomp decide about processes that are started already, and need rights of root; this
 * policy decides before the spawn, also about the commands that a script would run.
 *
 * @module
 */
export { AccessPolicyError } from "./AccessPolicyError.ts"
export { type DeniedVariables, deniedVariables, harmlessVariables } from "./deniedVariables.ts"
export type { ArgumentRule } from "./accessPolicyFields.ts"
export { AccessPolicy } from "./AccessPolicy.ts"
export { servedVariables } from "./inheritedVariables.ts"
export type { AccessRisk } from "./risks.ts"
