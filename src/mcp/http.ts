/**
 * Public module of the Hono route with an MCP server over streamable HTTP.
 *
 * @module
 */
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
