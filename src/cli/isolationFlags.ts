/**
 * Defines the flags that isolate commands (`--isolated`, its folders and its network), and reads them, with the environment,
 * into a request.
 *
 * Loaded at the start of every run, unlike the isolated leaf.
 */
import * as Result from "effect/Result"
import { quote } from "../base/quote.ts"
import type { CliProcess } from "./CliProcess.ts"
import { type FlagTable, type FlagTexts, listFlag, switchFlag } from "./FlagSpec.ts"
import type { Parsed } from "./parseValues.ts"
import { UsageError } from "./UsageError.ts"

export interface IsolationFlags {
  readonly isolated: boolean
  readonly writable: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  readonly "allow-network": ReadonlyArray<string>
  readonly "allow-private-network": ReadonlyArray<string>
}

/** The walls around commands. */
export interface IsolationRequest {
  /** The folders that flags name. Empty for `folders`. */
  readonly writable: ReadonlyArray<string>
  /** The folders in which commands run: writable, if no flag names others, else readable. */
  readonly folders: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  readonly journal: string | undefined
  readonly allow: ReadonlyArray<string>
  readonly privateHosts: ReadonlyArray<string>
}

const isolatedVariable = "SLUICE_ISOLATED"

const parseItem = (text: string): Parsed<string> => {
  if (text === "") return Result.fail("is empty")
  return text.includes(",")
    ? Result.fail(`${quote(text)} is not one item; repeat the flag for each`)
    : Result.succeed(text)
}

const requires = "isolated"

/** The flags, in the order of the help. `folders` names the folders that are writable by default. */
export const isolationFlags = (folders: string): FlagTable<IsolationFlags> => ({
  "isolated": switchFlag(
    `Isolate commands (Linux): they see programs of the system and named folders, ${folders} writable, an empty home, no network, and no other process. Default: ${isolatedVariable}, else off`,
  ),
  "writable": {
    ...listFlag("DIR", `Folder that isolated commands may write to; repeatable. Default: ${folders}`, parseItem),
    requires,
  },
  "readable": {
    ...listFlag("PATH", "File or folder that isolated commands may read, such as ~/.gitconfig; repeatable", parseItem),
    requires,
  },
  "allow-network": {
    ...listFlag(
      "HOST",
      "Host that isolated commands may connect to on ports 443 and 80: registry.example, *.github.com, registry.example:8443; repeatable. Default: none",
      parseItem,
    ),
    requires,
  },
  "allow-private-network": {
    ...listFlag(
      "HOST",
      "As --allow-network, for a name with an address of this machine or of a private network; repeatable",
      parseItem,
    ),
    requires,
  },
})

/** Adds `--isolated` if the environment sets it. A value other than 1 or 0 must not disable the isolation. */
export const withIsolatedVariable = (
  texts: FlagTexts,
  cli: Pick<CliProcess, "variable">,
): Result.Result<FlagTexts, UsageError> => {
  const value = (cli.variable(isolatedVariable) ?? "").toLowerCase()
  if (texts.has("isolated") || ["", "0", "false"].includes(value)) return Result.succeed(texts)
  return value === "1" || value === "true"
    ? Result.succeed(new Map([...texts, ["isolated", ["true"]]]))
    : Result.fail(new UsageError(`${isolatedVariable} must be 1 or 0, got ${quote(value)}`))
}

/** Builds the request; `undefined` for commands without isolation. */
export const isolationOf = (
  flags: IsolationFlags,
  folders: ReadonlyArray<string>,
  journal: string | undefined,
): IsolationRequest | undefined =>
  flags.isolated
    ? {
      writable: flags.writable,
      folders,
      readable: flags.readable,
      journal,
      allow: flags["allow-network"],
      privateHosts: flags["allow-private-network"],
    }
    : undefined
