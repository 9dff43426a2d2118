/**
 * Table of the flags of `sluice mcp`.
 *
 * @module
 */
import { configFlag } from "../config/configFlag.ts"
import { type FlagSpec, redactionFlags } from "../flags.ts"
import { commandPolicyFlags, hostsFlags, serverFlags } from "../serverFlags.ts"

const withHttp = ", with --http"

/** Each flag by its name. */
export const mcpFlags: Readonly<Record<string, FlagSpec>> = {
  "timeout": {
    kind: "value",
    metavar: "T",
    about: "Longest run of a command whose caller names no other, in seconds, or as in 500ms, 2m. Default: 30s",
  },
  "max-output": {
    kind: "value",
    metavar: "SIZE",
    about: "Output that an answer may have, as in 64K, 1M; more is left out of the middle. Default: 30K",
  },
  "journal": {
    kind: "value",
    metavar: "WHERE",
    about: "Journal of what is run; its commands are resources. Default: SLUICE_JOURNAL, else memory",
  },
  ...commandPolicyFlags("none"),
  ...configFlag,
  ...redactionFlags,
  "http": { kind: "value", metavar: "PORT", about: "Serve over HTTP on this port; 0 is any that is free" },
  ...serverFlags(withHttp),
  ...hostsFlags(withHttp, withHttp),
}
