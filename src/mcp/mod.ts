/**
 * Exports the MCP tools that run commands and code and those of spellbooks, the MCP resources of journaled commands, and
 * the MCP server over stdio.
 *
 * `commandTools`, `codeTool`, `spellTools` and `commandResources` are layers for a server of your own (`effect/ai`,
 * `McpServer`); `serveStdio` is a complete server over stdin and stdout. The server over HTTP is in `@sluice/shell/mcp/http`,
 * which needs Hono.
 *
 * The protocol itself is Effect's `McpServer`; this module adds the tools, limits, sessions and checks of hosts.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25
 *
 * @module
 * @stability stable
 */
export { CommandResult } from "./CommandResult.ts"
export { codeTool } from "./codeTool.ts"
export { commandResources } from "./commandResources.ts"
export { commandTools } from "./commandTools.ts"
export type { McpIdentity } from "./McpIdentity.ts"
export type { McpToolOptions, ResultFormat } from "./McpToolOptions.ts"
export { serveStdio, type ServeStdioOptions } from "./serveStdio.ts"
export { elicitationApprover } from "./elicitationApprover.ts"
export type { McpSpells, McpWithoutSpells } from "./McpSpells.ts"
export { type SpellToolOptions, spellTools } from "./spellTools.ts"
export { terminalTools } from "./terminalTools.ts"
