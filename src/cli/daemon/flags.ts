/**
 * Table of the flags of `sluice daemon`.
 *
 * @module
 */
import { configFlag } from "../config/configFlag.ts"
import { type FlagSpec, redactionFlags } from "../flags.ts"
import { commandPolicyFlags } from "../serverFlags.ts"
import { serveFlags } from "../serve/flags.ts"

const shared = (name: string): Readonly<Record<string, FlagSpec>> => {
  const spec = serveFlags[name]
  return spec === undefined ? {} : { [name]: spec }
}

/** Each flag by its name. */
export const daemonFlags: Readonly<Record<string, FlagSpec>> = {
  "journal": {
    kind: "value",
    metavar: "WHERE",
    about: "Journal with the requested commands: FILE.db (SQLite) or postgres://… Default: SLUICE_JOURNAL",
  },
  ...commandPolicyFlags("all"),
  ...shared("max-concurrent"),
  "lease": {
    kind: "value",
    metavar: "T",
    about: "Time after which other daemons take over the commands of a dead one. Default: 15s",
  },
  ...shared("drain"),
  ...redactionFlags,
  ...configFlag,
}
