/**
 * Commands over HTTP: a route for Hono.
 *
 * @module
 */
export type { AppType, ShellApi } from "./AppType.ts"
export type { Access, Right, TokenOptions } from "../auth/Access.ts"
export type { Grant } from "../auth/Grant.ts"
export type { Tokens, Unauthorized } from "../auth/Tokens.ts"
export type { Beside } from "./Beside.ts"
export type { Cors } from "./cors.ts"
export type { ProblemDetails, ProblemField } from "./problem.ts"
export type { DisposeOptions } from "./Runs.ts"
export type { JournalSource, ShellSource } from "./sources.ts"
export type { ShellRoutes, ShellRoutesLimits, ShellRoutesOptions } from "./options.ts"
export { shellRoutes } from "./shellRoutes.ts"
