/**
 * Public module that exports the remote leaf as the namespace `RemoteShell`, and all of the HTTP client of an execution
 * server.
 *
 * @module
 */
export * as RemoteShell from "./RemoteShell.ts"
export * from "../../client/Client.ts"
