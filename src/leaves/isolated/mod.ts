/**
 * Public module that exports the isolated leaf and its options as the namespace `IsolatedShell`, and its error.
 *
 * @module
 */
export * as IsolatedShell from "./IsolatedShell.ts"
export { IsolationError } from "./IsolationError.ts"
