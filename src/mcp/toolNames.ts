/** Lists the names of the MCP tools of this package. */
const names = [
  "execute_command",
  "execute_process",
  "execute_code",
  "open_terminal",
  "send_keys",
  "read_screen",
  "close_terminal",
] as const

export type ToolName = (typeof names)[number]

export const toolNames: ReadonlySet<string> = new Set(names)
