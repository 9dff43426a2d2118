/** Merges two sets of files with their common base, file by file. Source: git-merge(1), "HOW CONFLICTS ARE PRESENTED". */
import { compareFiles, detectRenames, sortByPath } from "../diff/changes.ts"
import { isBinaryContent, joinLines, linesOf } from "../diff/textLines.ts"
import type { Repository } from "../repository/Repository.ts"
import { modes } from "../repository/objects.ts"
import { type MergeLabels, mergeTexts } from "./mergeTexts.ts"

export interface FileEntry {
  readonly mode: number
  readonly oid: string
}

export type FileMap = ReadonlyMap<string, FileEntry>

export interface MergeConflict {
  readonly path: string
  /** The base, ours, theirs, where they exist. */
  readonly stages: readonly [FileEntry | undefined, FileEntry | undefined, FileEntry | undefined]
}

export interface MergedTree {
  /** The resulting files of the work tree, with markers in conflicts. */
  readonly files: Map<string, FileEntry>
  readonly conflicts: ReadonlyArray<MergeConflict>
  readonly messages: ReadonlyArray<string>
}

const isSame = (one: FileEntry | undefined, two: FileEntry | undefined): boolean =>
  one?.oid === two?.oid && one?.mode === two?.mode

/** Follows renames of one side: files of the other side with the old name are treated as if they had the new name. */
const followRenames = async (
  repository: Repository,
  base: FileMap,
  side: FileMap,
  other: FileMap,
): Promise<ReadonlyMap<string, string>> => {
  const renames = new Map<string, string>()
  // Only files that the other side changed matter.
  const gone = [...base.keys()].some((path) =>
    !side.has(path) && other.has(path) && !isSame(base.get(path), other.get(path))
  )
  if (!gone) return renames
  for (const { new: after, old, status } of await detectRenames(repository, compareFiles(base, side))) {
    if (status !== "R" || after === undefined || old === undefined) continue
    if (other.has(old.path) && !other.has(after.path) && !base.has(after.path)) renames.set(old.path, after.path)
  }
  return renames
}

const rename = (files: FileMap, renames: ReadonlyMap<string, string>): Map<string, FileEntry> =>
  new Map([...files].map(([path, entry]) => [renames.get(path) ?? path, entry] as const))

class TreeMerge {
  readonly #repository: Repository
  readonly #labels: MergeLabels
  readonly files = new Map<string, FileEntry>()
  readonly conflicts: Array<MergeConflict> = []
  readonly #messages: Array<readonly [path: string, text: string]> = []

  constructor(repository: Repository, labels: MergeLabels) {
    this.#repository = repository
    this.#labels = labels
  }

  get messages(): ReadonlyArray<string> {
    return sortByPath(this.#messages, ([path]) => path).map(([, text]) => text)
  }

  #say(path: string, text: string): void {
    this.#messages.push([path, text])
  }

  async merge(
    path: string,
    base: FileEntry | undefined,
    ours: FileEntry | undefined,
    theirs: FileEntry | undefined,
  ): Promise<void> {
    const take = (entry: FileEntry | undefined): void => {
      if (entry !== undefined) this.files.set(path, entry)
    }
    if (isSame(ours, theirs) || isSame(base, theirs)) return take(ours)
    if (isSame(base, ours)) return take(theirs)
    if (ours === undefined || theirs === undefined) return this.#deleted(path, base, ours, theirs)
    await this.#content(path, base, ours, theirs)
  }

  #deleted(
    path: string,
    base: FileEntry | undefined,
    ours: FileEntry | undefined,
    theirs: FileEntry | undefined,
  ): void {
    const { ours: mine, theirs: other } = this.#labels
    const [by, left] = ours === undefined ? [mine, other] : [other, mine]
    this.#say(
      path,
      `CONFLICT (modify/delete): ${path} deleted in ${by} and modified in ${left}.  Version ${left} of ${path} left in tree.`,
    )
    this.conflicts.push({ path, stages: [base, ours, theirs] })
    const kept = ours ?? theirs
    if (kept !== undefined) this.files.set(path, kept)
  }

  async #content(path: string, base: FileEntry | undefined, ours: FileEntry, theirs: FileEntry): Promise<void> {
    const { objects, pause } = this.#repository
    const mode = base !== undefined && ours.mode === base.mode ? theirs.mode : ours.mode
    const modeConflict = ours.mode !== theirs.mode && ours.mode !== base?.mode && theirs.mode !== base?.mode
    if (ours.oid === theirs.oid || (base !== undefined && (base.oid === ours.oid || base.oid === theirs.oid))) {
      this.files.set(path, { mode, oid: base?.oid === ours.oid ? theirs.oid : ours.oid })
      if (modeConflict) this.conflicts.push({ path, stages: [base, ours, theirs] })
      return
    }
    const isRegular = [ours, theirs].every((entry) => (entry.mode & 0o170000) === 0o100000)
    const read = async (entry: FileEntry | undefined): Promise<Uint8Array> =>
      entry === undefined || entry.mode === modes.submodule ? new Uint8Array() : await objects.blob(entry.oid)
    const [zero, one, two] = [await read(base), await read(ours), await read(theirs)]
    const isBinary = !isRegular || [zero, one, two].some(isBinaryContent)
    if (isBinary) {
      if (isRegular) {
        this.#say(path, `warning: Cannot merge binary files: ${path} (${this.#labels.ours} vs. ${this.#labels.theirs})`)
      }
      this.#say(path, `Auto-merging ${path}`)
      const { favor } = this.#labels
      this.files.set(path, favor === "theirs" ? theirs : ours)
      if (favor !== undefined) return
    } else {
      this.#say(path, `Auto-merging ${path}`)
      const merged = await mergeTexts(linesOf(zero), linesOf(one), linesOf(two), this.#labels, pause)
      this.files.set(path, { mode, oid: await objects.write("blob", joinLines(merged.lines)) })
      if (merged.conflicts === 0 && !modeConflict) return
    }
    this.#say(path, `CONFLICT (${base === undefined ? "add/add" : "content"}): Merge conflict in ${path}`)
    this.conflicts.push({ path, stages: [base, ours, theirs] })
  }
}

export const mergeTrees = async (
  repository: Repository,
  base: FileMap,
  ours: FileMap,
  theirs: FileMap,
  labels: MergeLabels,
): Promise<MergedTree> => {
  const byOurs = await followRenames(repository, base, ours, theirs)
  const byTheirs = await followRenames(repository, base, theirs, ours)
  const all = new Map([...byTheirs, ...byOurs])
  const [zero, one, two] = [rename(base, all), rename(ours, byTheirs), rename(theirs, byOurs)]
  const merge = new TreeMerge(repository, labels)
  for (const path of new Set([...zero.keys(), ...one.keys(), ...two.keys()])) {
    await merge.merge(path, zero.get(path), one.get(path), two.get(path))
    await repository.pause()
  }
  return { files: merge.files, conflicts: merge.conflicts, messages: merge.messages }
}
