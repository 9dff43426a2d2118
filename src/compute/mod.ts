/**
 * Exports `DaemonShell`, which appends commands to a journal, `ShellDaemon`, which runs them on its shell and appends
 * their output and ends, and `ComputeBranch`, which declares the entries that both use.
 *
 * @module
 */
export { ComputeBranch, ComputeEvent } from "./ComputeBranch.ts"
export { RecordedFault, RecordedOutput } from "./RunEnd.ts"
export { TerminalInput } from "./TerminalEntry.ts"
export { type ComputeRequest, Delivery } from "./ComputeRequest.ts"
export { ShellOutputChunks } from "./ShellOutputChunks.ts"
export * as DaemonShell from "./DaemonShell.ts"
export * as ShellDaemon from "./ShellDaemon.ts"
