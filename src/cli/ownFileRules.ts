/** Denies to spells the files of sluice itself: a model could rewrite what it did, and answer for its user. */
import { nodeProcess } from "../host/nodeProcess.ts"
import type { ApprovalRule } from "../spell/ApprovalRule.ts"
import type { CliProcess } from "./CliProcess.ts"
import type { JournalLocation } from "./journal/openJournal.ts"

/** The canonical path of a file, which may not be there yet; `undefined` where it cannot be told. */
export const canonicalPath = (path: string): string | undefined => {
  const fs = nodeProcess()?.getBuiltinModule("node:fs")
  if (fs === undefined) return undefined
  try {
    return fs.realpathSync(path)
  } catch {
    const [, folder = ".", name = ""] = /^(?:(.*)[/\\])?([^/\\]*)$/s.exec(path) ?? []
    const above = folder === "" ? "/" : folder
    if (above === path) return undefined
    const parent = canonicalPath(above)
    return parent === undefined ? undefined : `${parent.replace(/[/\\]$/, "")}/${name}`
  }
}

/** The folder of the user in which programs keep their state; `undefined` where there is none. */
export const stateFolder = (cli: CliProcess): string | undefined => {
  const [named = "", home = ""] = [cli.variable("XDG_STATE_HOME"), cli.variable("HOME") ?? cli.variable("USERPROFILE")]
  if (/^[/\\]|^[A-Za-z]:/.test(named)) return named
  return home === "" ? undefined : `${home}/.local/state`
}

/** A rule that denies to change a file, and those beside it whose names begin with its own, where it is in the workspace. */
const protect = (workspace: string, path: string | undefined): ReadonlyArray<ApprovalRule> => {
  const [folder = "", file = ""] = [workspace, path].map((each) => each?.replaceAll("\\", "/").replace(/\/$/, ""))
  if (!file.startsWith(`${folder}/`)) return []
  // A store has more files beside it, and braces cannot be escaped.
  const glob = file.slice(folder.length).replace(/[*?[\]{}]/g, "?")
  const reason = "sluice keeps the agent's journal and permissions there"
  return [{ decision: "deny", readOnly: false, path: `${glob}*`, reason }]
}

/**
 * The rules for a canonical folder whose files spells change: its journal and what users have allowed are not for them,
 * whatever the policy. None where spells change no files of this machine.
 */
export const ownFileRules = (
  cli: CliProcess,
  workspace: string | undefined,
  journal: JournalLocation | undefined,
): ReadonlyArray<ApprovalRule> => {
  if (workspace === undefined) return []
  const state = stateFolder(cli)
  return [
    ...protect(
      workspace,
      journal === undefined || journal._tag === "Postgres" ? undefined : canonicalPath(journal.path),
    ),
    ...protect(workspace, state === undefined ? undefined : canonicalPath(`${state}/sluice`)),
  ]
}
