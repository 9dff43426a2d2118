/**
 * Hono route with an MCP server over streamable HTTP.
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
