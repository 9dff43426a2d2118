/**
 * Exports `mcpRoutes`, the Hono route with an MCP server over streamable HTTP, and the types of its options.
 *
 * @module
 * @stability stable
 */
export type { McpHosts } from "./McpHosts.ts"
export { mcpRoutes } from "./mcpRoutes.ts"
export type {
  McpLimits,
  McpOnServer,
  McpRoutes,
  McpRoutesOptions,
  McpSource,
  McpSpellSource,
  McpStandalone,
} from "./McpRoutesOptions.ts"
