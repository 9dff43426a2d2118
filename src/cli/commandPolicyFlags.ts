/**
 * Defines the flags of the policy of commands, shared by servers and `sluice run --explain`.
 *
 * Loaded at the start of every run, unlike the policy.
 */
import * as Result from "effect/Result"
import { quote } from "../base/quote.ts"
import type { CommandLimits } from "../command/CommandLimits.ts"
import type { AccessPolicySettings } from "../policy/accessPolicyFields.ts"
import { isServerVariable } from "../policy/inheritedVariables.ts"
import { combinedFlag, type FlagTable, listFlag, valueFlag } from "./FlagSpec.ts"
import { type IsolationFlags, isolationFlags } from "./isolationFlags.ts"
import { parseChoice, type Parsed, parseLimits, parseText } from "./parseValues.ts"

export type Redirects = NonNullable<AccessPolicySettings["redirects"]>

/** Utilities that the listed names mean. */
export type UtilitySource = NonNullable<AccessPolicySettings["utilities"]>

export interface CommandPolicyFlags extends IsolationFlags {
  /** Items joined by commas, as in the variable. */
  readonly "allow-command": string | undefined
  /** Items joined by commas, as in the variable. */
  readonly "allow-cwd-root": string | undefined
  readonly limit: CommandLimits | undefined
  /** Variables of the server that commands inherit in addition to the default ones. */
  readonly "pass-env": ReadonlyArray<string>
  /** The working directory of commands without one. */
  readonly "default-cwd": string | undefined
  readonly redirects: Redirects | undefined
  readonly utilities: UtilitySource | undefined
  readonly config: string | undefined
}

/** Joins items by commas; refuses items that contain one, which the variables cannot express. */
const parseItems = (items: ReadonlyArray<string>): Parsed<string> => {
  const wrong = items.find((item) => item.includes(",") || item.trim() === "")
  return wrong === undefined
    ? Result.succeed(items.join(","))
    : Result.fail(`${quote(wrong)} is not a name; repeat the flag for each item`)
}

const parseInherited = (name: string): Parsed<string> => {
  if (isServerVariable(name)) return Result.fail(`${name} is reserved for the server; commands never inherit it`)
  return /^[A-Za-z_]\w*$/.test(name) ? Result.succeed(name) : Result.fail(`${quote(name)} is not a variable name`)
}

export const commandPolicyFlags = (otherwise: string): FlagTable<CommandPolicyFlags> => ({
  "allow-command": combinedFlag(
    "NAME",
    `Allow a command, by name or absolute path; repeatable. Default: ALLOWED_COMMANDS, else ${otherwise}`,
    parseItems,
  ),
  "allow-cwd-root": combinedFlag(
    "DIR",
    "Allow working directories below this one; repeatable. Default: ALLOWED_CWD_ROOTS, else any",
    parseItems,
  ),
  "limit": combinedFlag(
    "NAME=N",
    "Resource limits of each command: memory=512M,cpu=10s,processes=64,file=1G; repeatable. Default: none",
    parseLimits,
  ),
  "pass-env": listFlag(
    "NAME",
    "Let commands inherit this variable, in addition to PATH, HOME, LANG and the like; repeatable",
    parseInherited,
  ),
  "default-cwd": valueFlag(
    "DIR",
    "Working directory of commands that name none, within the allowed roots. Default: the current one, or the first root if that is in none",
    parseText,
  ),
  "redirects": valueFlag(
    "FILES",
    "Files that redirections in scripts may open: none, read, roots (below the allowed roots) or all. Default: none",
    parseChoice<Redirects>("a set of files", ["none", "read", "roots", "all"]),
  ),
  "utilities": valueFlag(
    "WHOSE",
    "Which ls, cat, grep, sed and the like run: host (the machine's) or contained (Sluice's own: no process, and no files outside the allowed roots). Default: contained with allowed roots and without --isolated, else host",
    parseChoice<UtilitySource>("a source of utilities", ["host", "contained"]),
  ),
  ...isolationFlags("the allowed roots, else the working directory"),
  "config": valueFlag(
    "FILE",
    "Configuration file (TOML or JSON) whose keys are these flags; flags override it. Default: SLUICE_CONFIG, else none",
    parseText,
  ),
})
