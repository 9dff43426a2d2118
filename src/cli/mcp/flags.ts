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
    about: "Default timeout of a command: seconds, or with a unit, as in 500ms or 2m. Default: 30s",
  },
  "max-output": {
    kind: "value",
    metavar: "SIZE",
    about: "Maximum output of one result, as in 64K or 1M; the middle of a longer one is omitted. Default: 30K",
  },
  "journal": {
    kind: "value",
    metavar: "WHERE",
    about: "Journal of the commands, which are served as resources. Default: SLUICE_JOURNAL, else memory",
  },
  ...commandPolicyFlags("none"),
  ...configFlag,
  ...redactionFlags,
  "http": { kind: "value", metavar: "PORT", about: "Serve over HTTP on this port; 0 picks a free one" },
  ...serverFlags(withHttp),
  ...hostsFlags(withHttp, withHttp),
}
