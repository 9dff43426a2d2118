/**
 * Commands over HTTP: a route for Hono.
 *
 * @module
 */
export type { AppType, ShellApi } from "./AppType.ts"
export type { Access, Right, TokenOptions } from "./authenticate.ts"
export type { Cors } from "./cors.ts"
export type { ProblemDetails, ProblemField } from "./problem.ts"
export type { DisposeOptions, JournalSource, ShellSource } from "./Runs.ts"
export { type ShellRoutes, shellRoutes, type ShellRoutesLimits, type ShellRoutesOptions } from "./shellRoutes.ts"
