/**
 * Commands as tools of the Model Context Protocol: for agents.
 *
 * `commandTools` and `commandResources` are for a server of your own (`effect/ai`, `McpServer`); `mcpRoutes` and
 * `serveStdio` are whole servers.
 *
 * Source: execution Specification; https://modelcontextprotocol.io/specification/2025-11-25
 *
 * @module
 */
export { CommandResult, type CommandResultFields } from "./CommandResult.ts"
export { codeTool } from "./codeTool.ts"
export { commandResources } from "./commandResources.ts"
export { commandTools } from "./commandTools.ts"
export type { McpNames } from "./McpNames.ts"
export type { McpIdentity } from "./McpIdentity.ts"
export { mcpRoutes } from "./mcpRoutes.ts"
export type { McpAlone, McpBeside, McpLimits, McpRoutes, McpRoutesOptions, McpSource } from "./McpRoutesOptions.ts"
export type { McpSettings } from "./McpSettings.ts"
export { serveStdio, type ServeStdioOptions } from "./serveStdio.ts"
