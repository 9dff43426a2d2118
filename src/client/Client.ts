/**
 * Exports the HTTP client of an execution server, which runs, lists, follows, feeds and cancels commands there, as the
 * namespace `RemoteClient`, and its error.
 *
 * It does not use Effect's `HttpClient`, which bounds neither the size of a body nor the time between two of its bytes.
 */
export * as RemoteClient from "./makeRemoteClient.ts"
export type { CommandQuery, RemoteExecOptions } from "./RemoteClient.ts"
export type { RemoteClientOptions } from "./RemoteClientOptions.ts"
export { RemoteError, RemoteErrorReason } from "./RemoteError.ts"
