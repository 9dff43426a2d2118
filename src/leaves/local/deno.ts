/**
 * Public module that exports the local leaf on Deno as the namespace `DenoShell`.
 *
 * @module
 */
export * as DenoShell from "./DenoShell.ts"
