/** Lists the names of the MCP tools of this package. */
export type ToolName =
  | "execute_command"
  | "execute_process"
  | "execute_code"
  | "open_terminal"
  | "send_keys"
  | "read_screen"
  | "close_terminal"

export const toolNames: ReadonlySet<string> = new Set<ToolName>([
  "execute_command",
  "execute_process",
  "execute_code",
  "open_terminal",
  "send_keys",
  "read_screen",
  "close_terminal",
])
