/** Denies spells access to Sluice's own files, where a model could rewrite its history or approve its own calls. */
import { isAbsolutePath } from "../base/isAbsolutePath.ts"
import { nodeProcess } from "../host/nodeProcess.ts"
import type { ApprovalRule } from "../spell/ApprovalRule.ts"
import type { CliProcess } from "./CliProcess.ts"
import type { JournalLocation } from "./journal/openJournal.ts"

/** The canonical path of a file that may not exist yet; `undefined` if it cannot be found. */
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

/** The user's folder for the state of programs; `undefined` if there is none. */
export const stateFolder = (cli: CliProcess): string | undefined => {
  const [named = "", home = ""] = [cli.variable("XDG_STATE_HOME"), cli.variable("HOME") ?? cli.variable("USERPROFILE")]
  if (isAbsolutePath(named)) return named
  return home === "" ? undefined : `${home}/.local/state`
}

/** A rule against changes to a file in the workspace, and to files in its folder whose names begin with its name. */
const protect = (workspace: string, path: string | undefined): ReadonlyArray<ApprovalRule> => {
  const [folder = "", file = ""] = [workspace, path].map((each) => each?.replaceAll("\\", "/").replace(/\/$/, ""))
  if (!file.startsWith(`${folder}/`)) return []
  // A store has further files next to it, and braces cannot be escaped.
  const glob = file.slice(folder.length).replace(/[*?[\]{}]/g, "?")
  const reason = "sluice keeps the agent's journal and permissions there"
  return [{ decision: "deny", readOnly: false, path: `${glob}*`, reason }]
}

/**
 * The rules for a canonical folder in which spells change files: whatever the policy, spells may change neither its journal
 * nor the stored permissions. Empty if spells change no files of this machine.
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
