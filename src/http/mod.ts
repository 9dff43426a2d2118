/**
 * Exports `shellRoutes`, the Hono routes that run commands over HTTP, follow them, feed them, cancel them and list
 * them, and the types of its options.
 *
 * No library offers an execution server that journals each command, resumes its output by event id and runs it once for
 * each id. Routing, headers and `Accept` are Hono's.
 *
 * @module
 */
export type { ShellApi } from "./ShellApi.ts"
export type { TokenAccess, TokenOptions, TokenRight } from "../auth/TokenAccess.ts"
export type { TokenGrant } from "../auth/TokenGrant.ts"
export type { Authenticator, Unauthorized } from "../auth/Authenticator.ts"
export type { DisposeOptions } from "../server/DisposeOptions.ts"
export type { SharedServices } from "../server/SharedServices.ts"
export type { CorsOptions } from "../server/makeCors.ts"
export type { ProblemDetails, ProblemField } from "./problem.ts"
export type { JournalSource, PolicySource, ServiceSource } from "./lazyServices.ts"
export type { ShellRoutes, ShellRoutesLimits, ShellRoutesOptions, WebSocketSource } from "./ShellRoutesOptions.ts"
export { shellRoutes } from "./shellRoutes.ts"
export { fileRoutes } from "./files/fileRoutes.ts"
export type { FileRoutes, FileRoutesLimits, FileRoutesOptions, FilesOnServer } from "./files/FileRoutesOptions.ts"
export { approvalRoutes } from "./approvals/approvalRoutes.ts"
export type {
  ApprovalRoutes,
  ApprovalRoutesOptions,
  ApprovalsAlone,
  ApprovalsOnServer,
} from "./approvals/ApprovalRoutesOptions.ts"
