/**
 * Table of the flags of `sluice serve`.
 *
 * @module
 */
import { type FlagSpec, redactionFlags } from "../flags.ts"
import { configFlag } from "../config/configFlag.ts"
import { commandPolicyFlags, hostsFlags, serverFlags } from "../serverFlags.ts"

const server = serverFlags("")

/** Each flag by its name. */
export const serveFlags: Readonly<Record<string, FlagSpec>> = {
  "host": server.host,
  "port": { kind: "value", metavar: "PORT", about: "Port to listen on; 0 picks a free one. Default: 8787" },
  "token": server.token,
  "token-file": server["token-file"],
  "journal": {
    kind: "value",
    metavar: "WHERE",
    about: "Journal of the commands, which outlives the server. Default: SLUICE_JOURNAL, else memory",
  },
  ...commandPolicyFlags("all"),
  ...configFlag,
  "max-concurrent": {
    kind: "value",
    metavar: "N",
    about: "Maximum number of concurrent commands; others wait. Default: 4",
  },
  "drain": {
    kind: "value",
    metavar: "T",
    about: "How long running commands may continue after the first signal, as in 30s. Default: 0",
  },
  ...redactionFlags,
  "mcp": { kind: "switch", metavar: "", about: "Also serve MCP tools for agents at POST /mcp" },
  ...hostsFlags("", ", with --mcp"),
}
