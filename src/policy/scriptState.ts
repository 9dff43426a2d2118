/** Tracks the folders and variables that the commands of a script may start with. */
import { absolutePath } from "../base/absolutePath.ts"
import type { ScriptPlan } from "../script/ScriptPlan.ts"
import type { ScriptChange } from "./scriptChanges.ts"

export interface StartState {
  readonly directory: string
  readonly env: ReadonlyMap<string, string>
}

/** Maximum number of folders in which one command is decided about. */
const maxDirectories = 32

/** A value that is refused for every variable: no computed value can be worse. */
const worstValue = "() {?"

/** The folders that a command may start in; `undefined` where they are not known. */
const directoriesOf = (
  { cwd, fileSystem }: ScriptPlan,
  given: ReadonlyMap<string, string>,
  changes: ReadonlyArray<ScriptChange>,
): ReadonlyArray<string> | undefined => {
  const directories = new Set([cwd])
  for (const change of changes) {
    if (change._tag !== "Directory") continue
    const path = change.path ?? given.get("HOME")
    if (path === undefined) return undefined
    for (const from of [...directories]) directories.add(absolutePath(path, from))
    if (directories.size > maxDirectories) return undefined
  }
  const hasPlaces = given.has("CDPATH") || changes.some((change) => change._tag === "Set" && change.name === "CDPATH")
  if (hasPlaces && directories.size > 1) return undefined
  // A missing folder may have been created anywhere by then.
  const isThere = (path: string): boolean => typeof fileSystem.directory(fileSystem.root, path) === "object"
  return [...directories].every(isThere) ? [...directories] : undefined
}

export interface StartChanges {
  readonly changes: ReadonlyArray<ScriptChange>
  /** Variables that are exported somewhere in the script. */
  readonly exported: ReadonlySet<string> | "all"
  readonly own: ReadonlyMap<string, string | undefined>
}

/** The states that a command may start in, the first one being that of the script; `undefined` if they are not known. */
export const statesOf = (
  plan: ScriptPlan,
  { changes, exported, own }: StartChanges,
): ReadonlyArray<StartState> | undefined => {
  const given = new Map(plan.env)
  const worst = new Map(given)
  for (const change of changes) {
    if (change._tag === "Unset") worst.delete(change.name)
    if (change._tag !== "Set") continue
    const isExported = given.has(change.name) || exported === "all" || exported.has(change.name)
    if (isExported) worst.set(change.name, change.value ?? worstValue)
  }
  for (const [name, value] of own) {
    given.set(name, value ?? "")
    worst.set(name, value ?? worstValue)
  }
  const isSame = given.size === worst.size && [...given].every(([name, value]) => worst.get(name) === value)
  const environments = isSame ? [given] : [given, worst]
  return directoriesOf(plan, new Map(plan.env), changes)?.flatMap((directory) =>
    environments.map((env) => ({ directory, env }))
  )
}
