/**
 * Exports a proxy that connects commands in a sandbox to the servers that rules allow.
 *
 * @module
 */
export * as EgressProxy from "./EgressProxy.ts"
export { EgressDecision, EgressRefusalReason } from "./EgressDecision.ts"
export type { EgressRules } from "./EgressRules.ts"
