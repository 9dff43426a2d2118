/**
 * Commands as tools of the Model Context Protocol, over HTTP: a route for Hono.
 *
 * @module
 */
export type { DisposeOptions } from "../http/Http.ts"
export type { Access, Right, TokenOptions } from "../auth/TokenAccess.ts"
export type { McpIdentity } from "./McpIdentity.ts"
export type { McpNames } from "./McpHosts.ts"
export { mcpRoutes } from "./mcpRoutes.ts"
export type { McpAlone, McpBeside, McpLimits, McpRoutes, McpRoutesOptions, McpSource } from "./McpRoutesOptions.ts"
export type { McpSettings } from "./McpSettings.ts"
