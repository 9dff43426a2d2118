/**
 * Commands on an execution server, as a Shell.
 *
 * @module
 */
export * as RemoteShell from "./RemoteShell.ts"
export type { RemoteShellOptions } from "./RemoteShell.ts"
export * from "../../client/Client.ts"
