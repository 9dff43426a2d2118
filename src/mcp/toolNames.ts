/**
 * Names of the tools.
 *
 * @module
 */

/** The name of a tool of ours. */
export type ToolName = "execute_command" | "execute_process" | "execute_code"

/** All of them. */
export const toolNames: ReadonlySet<string> = new Set<ToolName>(["execute_command", "execute_process", "execute_code"])
