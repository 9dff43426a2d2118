/**
 * Exports the public module of access policies: the policy and its error, argument rules, risks, explained decisions, and
 * the lists of variables that callers may not set and that commands inherit.
 *
 * No library fits: sudo, AppArmor and seccomp decide about processes that have already started, and need root; this
 * policy decides before the spawn, including about the commands that a script would run.
 *
 * @module
 * @stability stable
 */
export { AccessPolicyError } from "./AccessPolicyError.ts"
export { type DeniedVariables, deniedVariables, harmlessVariables } from "./deniedVariables.ts"
export type { ArgumentRule } from "./accessPolicyFields.ts"
export { AccessPolicy } from "./AccessPolicy.ts"
export type { CommandDecision, ExplainedCommand } from "./ExplainedCommand.ts"
export { servedVariables } from "./inheritedVariables.ts"
export type { AccessRisk } from "./risks.ts"
