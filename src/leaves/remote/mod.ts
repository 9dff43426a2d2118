/**
 * Public module that exports the remote leaves as the namespaces `RemoteShell` and `RemoteFileSystem`, and all of the HTTP
 * client of an execution server.
 *
 * @module
 * @stability stable
 */
export * as RemoteFileSystem from "./RemoteFileSystem.ts"
export * as RemoteShell from "./RemoteShell.ts"
export * from "../../client/Client.ts"
