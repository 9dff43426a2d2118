/**
 * Commands over HTTP: a route for Hono.
 *
 * @module
 */
export type { Access } from "./authenticate.ts"
export type { ProblemDetails, ProblemField } from "./problem.ts"
export type { ShellSource } from "./Runs.ts"
export { type ShellRoutes, shellRoutes, type ShellRoutesLimits, type ShellRoutesOptions } from "./shellRoutes.ts"
