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
  "port": { kind: "value", metavar: "PORT", about: "Port to listen on; 0 is any that is free. Default: 8787" },
  "token": server.token,
  "token-file": server["token-file"],
  "journal": {
    kind: "value",
    metavar: "WHERE",
    about: "Journal that commands go into, and that outlives the server. Default: SLUICE_JOURNAL, else memory",
  },
  ...commandPolicyFlags("all"),
  ...configFlag,
  "max-concurrent": { kind: "value", metavar: "N", about: "Commands that run at once; others wait. Default: 4" },
  "drain": {
    kind: "value",
    metavar: "T",
    about: "How long commands may go on after the first signal, as in 30s; no others are taken. Default: none",
  },
  ...redactionFlags,
  "mcp": { kind: "switch", metavar: "", about: "Serve tools for agents, too: POST /mcp" },
  ...hostsFlags("", ", with --mcp"),
}
