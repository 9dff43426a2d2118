/**
 * Defines `sluice mcp` for effect/cli.
 *
 * @module
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { type FlagTexts, givenFlags, makeFlags } from "../makeFlag.ts"
import type { FlagWords } from "../flagValues.ts"
import { mcpFlags } from "./flags.ts"

const about = `Serve commands as tools of the Model Context Protocol: execute_command, execute_process and execute_code.

  Without --http it uses stdin and stdout, for a client that starts it; when stdin ends, it ends its commands and exits.
  With --http it serves POST /mcp to clients that send the token, without TLS.

  --allow-command or ALLOWED_COMMANDS (names and paths, comma-separated, or *) lists the commands that may run, and
  --allow-cwd-root or ALLOWED_CWD_ROOTS (directories, comma-separated) where. Without a list no command may run.

  Exit status: 0 when stdin ended, and after the first signal over HTTP; 130 by Ctrl-C (143 by SIGTERM, 129 by SIGHUP);
  125 any other failure, including a usage error.`

/** Makes `sluice mcp`. Its handler only reports the parsed words. */
export const makeMcpCommand = (
  choose: (words: FlagWords) => void,
): Command.Command<"mcp", { readonly flags: Readonly<Record<string, FlagTexts>> }> =>
  Command.make(
    "mcp",
    { flags: makeFlags(mcpFlags) },
    ({ flags }) => Effect.sync(() => choose(new Map(givenFlags(flags)))),
  ).pipe(
    Command.withDescription(about),
    Command.withShortDescription("Serve commands as tools for agents (MCP)"),
    Command.withExamples([
      { command: "ALLOWED_COMMANDS=git,ls sluice mcp", description: "For a client that starts it" },
      { command: "ALLOWED_COMMANDS='*' sluice mcp --http 8788", description: "Over HTTP" },
    ]),
  )
