/**
 * Commands as tools of the Model Context Protocol, over HTTP: a route for Hono.
 *
 * @module
 */
export type { CorsOptions, DisposeOptions, SharedServices } from "../server/Server.ts"
export type { TokenAccess, TokenOptions, TokenRight } from "../auth/TokenAccess.ts"
export type { McpIdentity } from "./McpIdentity.ts"
export type { McpHosts } from "./McpHosts.ts"
export { mcpRoutes } from "./mcpRoutes.ts"
export type {
  McpLimits,
  McpOnServer,
  McpRoutes,
  McpRoutesOptions,
  McpSource,
  McpStandalone,
} from "./McpRoutesOptions.ts"
export type { McpSettings } from "./McpSettings.ts"
