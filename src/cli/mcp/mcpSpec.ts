/** Describes `sluice mcp`: its help and its flags. */
import * as Result from "effect/Result"
import { quote } from "../../base/quote.ts"
import { type CommandPolicyFlags, commandPolicyFlags } from "../commandPolicyFlags.ts"
import type { CommandSpec } from "../CommandSpec.ts"
import { type FlagTable, listFlag, switchFlag, valueFlag } from "../FlagSpec.ts"
import { parseBytes, parseChoice, parseNonEmpty, parsePositiveDuration, parseText } from "../parseValues.ts"
import { type RedactionFlags, redactionFlags } from "../runFlags.ts"
import { type AddressFlags, addressFlags, type HostsFlags, hostsFlags, portFlag } from "../serverFlags.ts"

/** The calls that a client has to approve before a spell is cast. */
export type Approve = "ask" | "workspace-write" | "full"

export interface SpellFlags {
  readonly spells: boolean
  readonly spell: ReadonlyArray<string>
  readonly root: string | undefined
  readonly "read-only": boolean
  readonly sandbox: boolean
  readonly approve: Approve | undefined
}

const spellFlags: FlagTable<SpellFlags> = {
  "spells": switchFlag("Serve spells instead: read_file, edit_file, run_command and others, on the folder of --root"),
  "spell": {
    ...listFlag(
      "NAME",
      "Serve only this spell, with --spells; repeatable. Default: all",
      (text) =>
        text.includes(",")
          ? Result.fail(`${quote(text)} is not a name; repeat the flag for each spell`)
          : parseNonEmpty(text),
    ),
    requires: "spells",
  },
  "root": {
    ...valueFlag(
      "DIR",
      "Folder that spells see, and that commands run in, with --spells. Default: the current one, or the first root if that is in none",
      parseNonEmpty,
    ),
    requires: "spells",
  },
  "read-only": { ...switchFlag("Serve only spells that change nothing, with --spells"), requires: "spells" },
  "sandbox": {
    ...switchFlag(
      "Run commands in an in-process sandbox with the folder of --root, or with files in memory, with --spells",
    ),
    requires: "spells",
  },
  "approve": {
    ...valueFlag(
      "POLICY",
      "Ask the client's user (elicitation), with --spells: ask (before all that changes something), workspace-write (before commands) or full (never). Default: full",
      parseChoice<Approve>("a policy", ["ask", "workspace-write", "full"]),
    ),
    requires: "spells",
  },
}

export interface McpFlags extends AddressFlags, HostsFlags, CommandPolicyFlags, RedactionFlags, SpellFlags {
  /** Time in milliseconds. */
  readonly timeout: number | undefined
  /** Bytes of one result. */
  readonly "max-output": number | undefined
  readonly journal: string | undefined
  readonly terminals: boolean
  /** Port to listen on; `undefined` for stdin and stdout. */
  readonly http: number | undefined
}

const address = addressFlags(", with --http")
const hosts = hostsFlags(", with --http", ", with --http")

export const mcpFlags: FlagTable<McpFlags> = {
  "timeout": valueFlag(
    "T",
    "Default timeout of a command: seconds, or with a unit, as in 500ms or 2m. Default: 30s",
    parsePositiveDuration,
  ),
  "max-output": valueFlag(
    "SIZE",
    "Maximum output of one result, as in 64K or 1M; the middle of a longer one is omitted. Default: 30K",
    parseBytes,
  ),
  "journal": valueFlag(
    "WHERE",
    "Journal of the commands, which are served as resources. Default: SLUICE_JOURNAL, else memory",
    parseText,
  ),
  ...commandPolicyFlags("none"),
  "terminals": switchFlag(
    "Also serve tools for programs that prompt: open_terminal, send_keys, read_screen, close_terminal. Only with --isolated or a list of *: typed commands are not checked",
  ),
  ...spellFlags,
  ...redactionFlags,
  "http": portFlag("Serve over HTTP on this port; 0 picks a free one"),
  "host": { ...address.host, requires: "http" },
  "token": { ...address.token, requires: "http" },
  "token-file": { ...address["token-file"], requires: "http" },
  "allow-host": { ...hosts["allow-host"], requires: "http" },
  "allow-origin": { ...hosts["allow-origin"], requires: "http" },
}

export const mcpSpec: CommandSpec = {
  name: "mcp",
  short: "Serve commands and files as tools for agents (MCP)",
  about: `Serve commands as tools of the Model Context Protocol: execute_command, execute_process and execute_code.

  Without --http it uses stdin and stdout, for a client that starts it; when stdin ends, it ends its commands and exits.
  With --http it serves POST /mcp to clients that send the token, without TLS.

  --allow-command or ALLOWED_COMMANDS (names and paths, comma-separated, or *) lists the commands that may run, and
  --allow-cwd-root or ALLOWED_CWD_ROOTS (directories, comma-separated) where. Without a list no command may run.

  With --spells it serves the tools of agents instead: read_file, write_file, edit_file, list_directory, search_files,
  apply_patch, delete_file, run_command, run_script, execute_code, start_process, read_output, send_input and
  stop_process. Paths are below --root. Without a list of commands only those on files are served; with --sandbox
  commands run in a sandbox, and need no list.

  Exit status: 0 when stdin ended, and after the first signal over HTTP; 130 by Ctrl-C (143 by SIGTERM, 129 by SIGHUP);
  125 any other failure, including a usage error.`,
  flags: mcpFlags,
  examples: [
    ["ALLOWED_COMMANDS=git,ls sluice mcp", "For a client that starts it"],
    ["ALLOWED_COMMANDS='*' sluice mcp --http 8788", "Over HTTP"],
    ["sluice mcp --spells --root . --allow-command git --allow-command npm", "Files of this folder, and two commands"],
    ["sluice mcp --spells --root . --sandbox --read-only", "Files of this folder, to read"],
  ],
}
