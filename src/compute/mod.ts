/**
 * Exports `DaemonShell`, which appends commands to a journal, `ShellDaemon`, which runs them on its shell and appends
 * their output and ends, and the branches and entries that both use.
 *
 * `ComputeBranch` declares the entries, and `Branch` has what a branch of your own needs: a typed journal, and the service
 * that is served through it.
 *
 * @module
 */
export * as Branch from "../branch/Branch.ts"
export { ComputeBranch, ComputeEvent } from "./ComputeBranch.ts"
export { RecordedFault, RecordedOutput } from "./RunEnd.ts"
export { TerminalInput } from "./TerminalEntry.ts"
export { type ComputeRequest, Delivery } from "./ComputeRequest.ts"
export { ShellOutputChunks } from "./ShellOutputChunks.ts"
export * as DaemonShell from "./DaemonShell.ts"
export * as ShellDaemon from "./ShellDaemon.ts"
export * as Route from "../branch/Route.ts"
export * as RouteGraph from "../branch/RouteGraph.ts"
