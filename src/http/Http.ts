/**
 * Commands over HTTP: a route for Hono.
 *
 * @module
 */
export type { ShellApi } from "./ShellApi.ts"
export type { TokenAccess, TokenOptions, TokenRight } from "../auth/TokenAccess.ts"
export type { TokenGrant } from "../auth/TokenGrant.ts"
export type { Authenticator, Unauthorized } from "../auth/Authenticator.ts"
export type { CorsOptions, DisposeOptions, SharedServices } from "../server/Server.ts"
export type { ProblemDetails, ProblemField } from "./problem.ts"
export type { JournalSource, PolicySource, ShellSource } from "./lazyServices.ts"
export type { ShellRoutes, ShellRoutesLimits, ShellRoutesOptions } from "./ShellRoutesOptions.ts"
export { shellRoutes } from "./shellRoutes.ts"
