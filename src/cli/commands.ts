/** Lists the specs of all subcommands of `sluice`, in the order of the help. */
import { agentCommand } from "./agent/agentCommand.ts"
import { attachCommand } from "./attach/attachCommand.ts"
import { codeCommand } from "./code/codeCommand.ts"
import type { CommandGroup, CommandSpec } from "./CommandSpec.ts"
import { configCommand } from "./config/configCommand.ts"
import { daemonCommand } from "./daemon/daemonCommand.ts"
import { demoCommand } from "./demo/demoCommand.ts"
import { filesCommand } from "./files/filesCommand.ts"
import { journalCommand } from "./journal/journalCommand.ts"
import { mcpCommand } from "./mcp/mcpCommand.ts"
import { runCommand } from "./runCommand.ts"
import { sandboxCommand } from "./sandbox/sandboxCommand.ts"
import { serveCommand } from "./serve/serveCommand.ts"

/** The subcommands, in the order of the help. */
export const commands: ReadonlyArray<CommandSpec | CommandGroup> = [
  runCommand,
  attachCommand,
  codeCommand,
  serveCommand,
  daemonCommand,
  sandboxCommand,
  journalCommand,
  filesCommand,
  mcpCommand,
  agentCommand,
  demoCommand,
  configCommand,
]
