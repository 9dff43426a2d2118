/**
 * Commands over HTTP: a route for Hono.
 *
 * @module
 */
export type { AppType, ShellApi } from "./ShellApi.ts"
export type { Access, Right, TokenOptions } from "../auth/TokenAccess.ts"
export type { Grant } from "../auth/TokenGrant.ts"
export type { Tokens, Unauthorized } from "../auth/Authenticator.ts"
export type { Beside } from "./SharedServices.ts"
export type { Cors } from "./cors.ts"
export type { ProblemDetails, ProblemField } from "./problem.ts"
export type { DisposeOptions } from "./RunSupervisor.ts"
export type { JournalSource, ShellSource } from "./lazyServices.ts"
export type { ShellRoutes, ShellRoutesLimits, ShellRoutesOptions } from "./ShellRoutesOptions.ts"
export { shellRoutes } from "./shellRoutes.ts"
