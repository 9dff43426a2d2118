/**
 * Public module of the local leaf on Deno.
 *
 * @module
 */
export * as DenoShell from "./DenoShell.ts"
