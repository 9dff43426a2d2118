/** Describes `sluice serve`: its help and its flags. */
import * as Result from "effect/Result"
import { type CommandPolicyFlags, commandPolicyFlags } from "../commandPolicyFlags.ts"
import type { CommandSpec } from "../CommandSpec.ts"
import { type FlagTable, switchFlag, valueFlag } from "../FlagSpec.ts"
import { type Parsed, parseText } from "../parseValues.ts"
import { type RedactionFlags, redactionFlags } from "../runFlags.ts"
import {
  type AddressFlags,
  addressFlags,
  type HostsFlags,
  hostsFlags,
  type LoadFlags,
  loadFlags,
  portFlag,
} from "../serverFlags.ts"

export interface ServeFlags extends AddressFlags, HostsFlags, CommandPolicyFlags, LoadFlags, RedactionFlags {
  readonly port: number | undefined
  readonly journal: string | undefined
  readonly mcp: boolean
  readonly terminals: boolean
  /** Whether to ask the questions of agents that use the same journal, too. */
  readonly approvals: boolean
  /** The folder whose files are served too. */
  readonly files: ServedFolder | undefined
}

export interface ServedFolder {
  readonly path: string
  readonly isReadOnly: boolean
}

/** Parses `DIR`, `DIR:rw` and `DIR:ro`. */
const parseFolder = (text: string): Parsed<ServedFolder> => {
  const [, path = text, mode] = /^(.*):(ro|rw)$/s.exec(text) ?? []
  return path === ""
    ? Result.fail("name a folder, as in /srv/work or /srv/work:ro")
    : Result.succeed({ path, isReadOnly: mode === "ro" })
}

const { host, ...tokens } = addressFlags("")
const hosts = hostsFlags("", ", with --mcp")

export const serveFlags: FlagTable<ServeFlags> = {
  host,
  "port": portFlag("Port to listen on; 0 picks a free one. Default: 8787"),
  ...tokens,
  "journal": valueFlag(
    "WHERE",
    "Journal of the commands, which outlives the server. Default: SLUICE_JOURNAL, else memory",
    parseText,
  ),
  ...commandPolicyFlags("all"),
  ...loadFlags,
  ...redactionFlags,
  "files": valueFlag(
    "DIR[:ro]",
    "Also serve the files below this folder at /files; with :ro they can only be read. Default: none",
    parseFolder,
  ),
  "mcp": switchFlag("Also serve MCP tools for agents at POST /mcp"),
  "terminals": {
    ...switchFlag(
      "Serve tools for programs that prompt too (open_terminal, send_keys, …), with --mcp. Only with --isolated or without a list: typed commands are not checked",
    ),
    requires: "mcp",
  },
  "approvals": switchFlag("Also ask the questions of agents in the journal: on the console, and at GET /approvals"),
  "allow-host": hosts["allow-host"],
  "allow-origin": { ...hosts["allow-origin"], requires: "mcp" },
}

export const serveSpec: CommandSpec = {
  name: "serve",
  short: "Serve commands and files over HTTP",
  about:
    `Serve command execution over HTTP. POST /exec takes a ShellExec as JSON and returns its events as NDJSON, SSE or one
  JSON result. GET /commands lists running and past commands and follows them live. GET /openapi.json describes the API,
  and GET / is a web console.

  A client with the token can run commands: those listed by --allow-command or ALLOWED_COMMANDS, else all. There is no
  TLS: listen on this machine only, or behind a TLS proxy.

  With --files, GET, PUT and DELETE /files/PATH read and change the files below a folder, and nothing outside of it.

  With --mcp, POST /mcp serves tools for agents. Their commands share the journal and the console.

  With --approvals, the questions whether agents may cast spells, which they append to the journal, are shown on the
  console and answered there or at POST /approvals/ID, by a token with the right approve.

  The first signal shuts down: running commands may continue for the time of --drain, then they are terminated. A second
  signal kills them.`,
  flags: serveFlags,
  examples: [
    ["sluice serve --journal runs.db --drain 30s", "Keep the history across restarts"],
    ["sluice serve --mcp --allow-command git --allow-command ls", "Also serve tools for agents"],
    ["sluice serve --files .:ro", "Also let clients read the files of the current folder"],
    ["sluice serve --allow-command git --allow-cwd-root /srv", "Allow only git below /srv"],
  ],
}
