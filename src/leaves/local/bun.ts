/**
 * Public module that exports the local leaf on Bun as the namespace `BunShell`.
 *
 * @module
 */
export * as BunShell from "./BunShell.ts"
