/**
 * Public module that exports the local leaf on Node as the namespace `NodeShell`.
 *
 * @module
 */
export * as NodeShell from "./NodeShell.ts"
