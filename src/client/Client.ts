/**
 * HTTP client of an execution server: starts, follows, feeds and cancels commands there.
 *
 * @module
 */
export { HttpError, type HttpErrorFields } from "./HttpError.ts"
export {
  type ClientError,
  type CommandQuery,
  type ExecSettings,
  makeShellHttpClient,
  type ShellHttpClient,
  type ShellHttpClientOptions,
} from "./ShellHttpClient.ts"
