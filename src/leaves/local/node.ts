/**
 * Public module of the local leaf on Node.
 *
 * @module
 */
export * as NodeShell from "./NodeShell.ts"
