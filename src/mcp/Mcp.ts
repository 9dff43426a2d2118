/**
 * Commands as tools of the Model Context Protocol: for agents.
 *
 * `commandTools`, `codeTool` and `commandResources` are for a server of your own (`effect/ai`, `McpServer`); `serveStdio`
 * is a whole server over stdin and stdout. The one over HTTP is in `@sluice/shell/mcp/http`: it needs Hono.
 *
 * Source: execution Specification; https://modelcontextprotocol.io/specification/2025-11-25
 *
 * @module
 */
export { CommandResult, type CommandResultFields } from "./CommandResult.ts"
export { codeTool } from "./codeTool.ts"
export { commandResources } from "./commandResources.ts"
export { commandTools } from "./commandTools.ts"
export type { McpIdentity } from "./McpIdentity.ts"
export type { McpSettings, ResultFormat } from "./McpSettings.ts"
export { serveStdio, type ServeStdioOptions } from "./serveStdio.ts"
