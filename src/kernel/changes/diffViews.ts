/** Compares two file systems: the changes as data and as a patch. */
import { requireCounts } from "../../base/OptionError.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import { compareStrings } from "../binaryString.ts"
import { compareViews, type NodeChange } from "./compareTrees.ts"
import type { DiffOptions, FileChange, SandboxDiff } from "./FileChange.ts"
import { hasRemoval, hasRest, patchOf, type PatchRoom } from "./gitPatch.ts"
import type { TreeView } from "./TreeView.ts"
import type { Turns } from "./Turns.ts"

type CountName = Exclude<keyof DiffOptions, "path">

export interface DiffSettings extends Readonly<Record<CountName, number>> {
  readonly path: string
}

export const diffDefaults: Readonly<Record<CountName, number>> = {
  contextLines: 3,
  maxPatchBytes: 4_194_304,
  maxFileBytes: 2_097_152,
  maxChanges: 100_000,
}

export const normalizePath = (path: string): string =>
  `/${path.split("/").filter((name) => name !== "" && name !== ".").join("/")}`

/** Fills in the defaults. Throws an `OptionError` for a limit that is no whole number. */
export const resolveDiffOptions = ({ path = "/", ...counts }: DiffOptions): DiffSettings => ({
  path: normalizePath(path),
  ...requireCounts("sandbox.diff", "", counts, diffDefaults),
})

export class TooManyChangesError extends Error {}

/** Compares name by name, so that a folder is followed by its content. */
const orderOf = (path: string): string => path.replaceAll("/", "\0")

export const dataOf = ({ after, before, change, path }: NodeChange): FileChange => ({
  path,
  change,
  ...(before === undefined ? undefined : { before }),
  ...(after === undefined ? undefined : { after }),
})

/** A path as seen from a folder. */
export const relativeTo = (folder: string, path: string): string => path.slice(folder === "/" ? 1 : folder.length + 1)

/** The patch of changes, and the paths that are left out. */
const patchOfAll = async (
  changes: ReadonlyArray<NodeChange>,
  { contextLines, maxFileBytes, maxPatchBytes, path: folder }: DiffSettings,
  turns: Turns,
): Promise<Pick<SandboxDiff, "omitted" | "patch">> => {
  const parts: Array<string> = []
  const omitted = new Set<string>()
  let left = maxPatchBytes
  for (const removes of [true, false]) {
    for (const change of changes) {
      if (!(removes ? hasRemoval(change) : hasRest(change)) || omitted.has(change.path)) continue
      const room: PatchRoom = { bytes: left, contextLines, maxFileBytes }
      const part = await patchOf(change, relativeTo(folder, change.path), removes, room, turns)
      if (part === undefined) omitted.add(change.path)
      else {
        parts.push(part)
        left -= encodeUtf8(part).length
      }
      await turns.pause()
    }
  }
  return { patch: parts.join(""), omitted: Array.from(omitted) }
}

/** Compares a file system with an earlier one. */
export const diffViews = async (
  old: TreeView,
  now: TreeView,
  settings: DiffSettings,
  turns: Turns,
): Promise<SandboxDiff> => {
  const changes: Array<NodeChange> = []
  for await (const change of compareViews(old, now, settings.path, turns)) {
    if (changes.length >= settings.maxChanges) throw new TooManyChangesError()
    changes.push(change)
  }
  changes.sort((a, b) => compareStrings(orderOf(a.path), orderOf(b.path)))
  return { changes: changes.map(dataOf), ...await patchOfAll(changes, settings, turns) }
}
