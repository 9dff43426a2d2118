/**
 * Public module of the remote leaf and of the HTTP client: commands on an execution server.
 *
 * @module
 */
export * as RemoteShell from "./RemoteShell.ts"
export * from "../../client/Client.ts"
