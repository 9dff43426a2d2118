/**
 * Public module of the local leaf on Bun.
 *
 * @module
 */
export * as BunShell from "./BunShell.ts"
