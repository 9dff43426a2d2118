/**
 * Commands over HTTP: a route for Hono.
 *
 * @module
 */
export type { ShellApi } from "./ShellApi.ts"
export type { TokenAccess, TokenOptions, TokenRight } from "../auth/TokenAccess.ts"
export type { TokenGrant } from "../auth/TokenGrant.ts"
export type { Authenticator, Unauthorized } from "../auth/Authenticator.ts"
export type { SharedServices } from "./SharedServices.ts"
export type { Cors } from "./cors.ts"
export type { ProblemDetails, ProblemField } from "./problem.ts"
export type { DisposeOptions } from "./RunSupervisor.ts"
export type { JournalSource, ShellSource } from "./lazyServices.ts"
export type { ShellRoutes, ShellRoutesLimits, ShellRoutesOptions } from "./ShellRoutesOptions.ts"
export { shellRoutes } from "./shellRoutes.ts"
