/** Compares trees, the index and the work tree. Source: gitdiffcore(7). */
import { FileType } from "../../../Stat.ts"
import { compareStrings, textToBinary } from "../../../binaryString.ts"
import type { IndexEntry } from "../repository/IndexFile.ts"
import { zeroOid } from "../repository/Refs.ts"
import type { Repository } from "../repository/Repository.ts"
import { lstat } from "../repository/files.ts"
import { modes } from "../repository/objects.ts"
import type { Pathspec } from "../worktree/Pathspec.ts"
import { IgnoreRules } from "../worktree/ignore.ts"
import { findRenames, type Rename } from "./findRenames.ts"

/** One side of a change. `oid` is undefined for a file of the work tree whose content is not stored. */
export interface FileVersion {
  readonly path: string
  readonly mode: number
  readonly oid: string | undefined
}

export type ChangeStatus = "A" | "D" | "M" | "R" | "T" | "U"

export interface FileChange {
  readonly status: ChangeStatus
  readonly old: FileVersion | undefined
  readonly new: FileVersion | undefined
  /** The similarity of a renamed file, in percent. */
  readonly similarity?: number
}

export const pathOf = (change: FileChange): string => (change.new ?? change.old)?.path ?? ""

type Files = ReadonlyMap<string, { readonly mode: number; readonly oid: string | undefined }>

export const sortByPath = <A>(list: ReadonlyArray<A>, path: (each: A) => string): ReadonlyArray<A> =>
  list.map((each) => [textToBinary(path(each)), each] as const).sort(([a], [b]) => compareStrings(a, b)).map((
    [, each],
  ) => each)

const isKind = (mode: number): number => mode & 0o170000

/** The changes between two sets of files, sorted by path. */
export const compareFiles = (before: Files, after: Files): ReadonlyArray<FileChange> => {
  const changes: Array<FileChange> = []
  for (const [path, one] of before) {
    const two = after.get(path)
    const old = { path, ...one }
    if (two === undefined) changes.push({ status: "D", old, new: undefined })
    else if (one.mode !== two.mode || one.oid !== two.oid || two.oid === undefined) {
      changes.push({ status: isKind(one.mode) === isKind(two.mode) ? "M" : "T", old, new: { path, ...two } })
    }
  }
  for (const [path, two] of after) {
    if (!before.has(path)) changes.push({ status: "A", old: undefined, new: { path, ...two } })
  }
  return sortByPath(changes, pathOf)
}

export const indexFiles = (entries: ReadonlyArray<IndexEntry>): Files =>
  new Map(
    entries.flatMap(({ isIntent, mode, oid, path, stage }) =>
      stage === 0 && !isIntent ? [[path, { mode, oid }] as const] : []
    ),
  )

/** The current file of the work tree, compared with an entry of the index, if possible without reading the file. */
export const worktreeVersion = async (
  repository: Repository,
  entry: IndexEntry,
  written: bigint,
): Promise<FileVersion | undefined> => {
  const { path } = entry
  const stat = repository.hasLinkAbove(path) ? undefined : lstat(repository.system, repository.absolute(path))
  if (stat === undefined) return undefined
  if (stat.type === FileType.directory) {
    return entry.mode === modes.submodule ? { path, mode: entry.mode, oid: entry.oid } : undefined
  }
  const mode = stat.type === FileType.symbolicLink
    ? modes.link
    : (stat.mode & 0o100) === 0
    ? modes.file
    : modes.executable
  const isSame = stat.size === entry.size && stat.modified === entry.modified && entry.inode === stat.inode >>> 0 &&
    !entry.isIntent
  // A file that changed at the moment when the index was written may have changed again since.
  if (isSame && stat.modified < written) return { path, mode, oid: entry.oid }
  if (entry.size !== 0 && stat.size !== entry.size) return { path, mode, oid: undefined }
  await repository.pause()
  const file = await repository.readWorktree(path)
  return file === undefined ? undefined : { path, mode, oid: await repository.objects.hash("blob", file.bytes) }
}

/** The changes from the index to the work tree. A conflict has the status `U`, and is compared with ours. */
export const worktreeChanges = async (
  repository: Repository,
  pathspec: Pathspec,
): Promise<ReadonlyArray<FileChange>> => {
  const index = await repository.index()
  const changes: Array<FileChange> = []
  let last = ""
  for (const entry of index.entries) {
    const { mode, oid, path, stage } = entry
    if (!pathspec.matches(path)) continue
    if (stage !== 0) {
      if (path !== last) {
        changes.push({ status: "U", old: { path, mode, oid: zeroOid }, new: { path, mode, oid: zeroOid } })
      }
      last = path
      // Ours against the file with the markers, as `git diff --ours`.
      const now = stage === 2 ? await worktreeVersion(repository, entry, index.written) : undefined
      if (now !== undefined) changes.push({ status: "M", old: { path, mode, oid }, new: now })
      continue
    }
    const now = await worktreeVersion(repository, entry, index.written)
    const old = { path, mode, oid }
    if (now === undefined) changes.push({ status: "D", old, new: undefined })
    else if (entry.isIntent) changes.push({ status: "A", old: undefined, new: now })
    else if (now.mode !== mode || now.oid !== oid) {
      changes.push({ status: isKind(mode) === isKind(now.mode) ? "M" : "T", old, new: now })
    }
  }
  return changes
}

/** Files of the work tree that are not in the index. A folder without files of the index is one entry with a slash. */
export const untrackedFiles = async (
  repository: Repository,
  pathspec: Pathspec,
  options: { readonly whole?: boolean; readonly ignored?: boolean } = {},
): Promise<ReadonlyArray<string>> => {
  const index = await repository.index()
  const folders = new Set<string>()
  for (const { path } of index.entries) {
    for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
      folders.add(path.slice(0, slash))
    }
  }
  const rules = new IgnoreRules(repository)
  const found: Array<string> = []
  const { system } = repository
  /** Whether a folder without files of the index has anything to show. */
  const hasFiles = async (folder: string, isIgnored: boolean): Promise<boolean> => {
    const entries = system.list(repository.absolute(folder))
    if (typeof entries === "number") return false
    for (const { name, type } of entries) {
      await repository.pause()
      const path = `${folder}/${name}`
      const ignored = isIgnored || await rules.isIgnoredBelow(path, type === FileType.directory)
      if (ignored !== (options.ignored === true)) continue
      if (type !== FileType.directory || await hasFiles(path, isIgnored)) return true
    }
    return false
  }
  const visit = async (folder: string, isIgnored: boolean): Promise<void> => {
    const entries = system.list(folder === "" ? repository.top : repository.absolute(folder))
    if (typeof entries === "number") return
    for (const { name, type } of entries) {
      await repository.pause()
      const path = folder === "" ? name : `${folder}/${name}`
      const isDirectory = type === FileType.directory
      if (name === ".git" || repository.absolute(path) === repository.gitdir) continue
      if (isDirectory ? !pathspec.reaches(path) && !pathspec.matches(path) : !pathspec.matches(path)) continue
      if (!isDirectory && index.has(path)) continue
      const ignored = isIgnored || await rules.isIgnoredBelow(path, isDirectory)
      if (!isDirectory) {
        if (ignored === (options.ignored === true)) found.push(path)
        continue
      }
      if (folders.has(path)) {
        await visit(path, ignored)
        continue
      }
      if (index.has(path)) continue
      if (ignored && options.ignored !== true) continue
      if (options.whole === true || (options.ignored === true && !ignored)) await visit(path, ignored)
      else if (pathspec.matches(path) || pathspec.isEmpty) {
        if (ignored || await hasFiles(path, false)) found.push(`${path}/`)
      } else await visit(path, ignored)
    }
  }
  await visit("", false)
  return sortByPath(found, (path) => path)
}

/** The content of one side of a change. */
export const readVersion = async (repository: Repository, version: FileVersion | undefined): Promise<Uint8Array> => {
  if (version === undefined) return new Uint8Array()
  if (version.mode === modes.submodule) return new TextEncoder().encode(`Subproject commit ${version.oid}\n`)
  if (version.oid !== undefined && version.oid !== zeroOid) {
    const stored = await repository.objects.readIfExists(version.oid)
    if (stored !== undefined) return stored.bytes
  }
  return (await repository.readWorktree(version.path))?.bytes ?? new Uint8Array()
}

/** Replaces pairs of a removed and a similar added file by renames. */
export const detectRenames = async (
  repository: Repository,
  changes: ReadonlyArray<FileChange>,
): Promise<ReadonlyArray<FileChange>> => {
  const removed = changes.flatMap((change) => change.status === "D" && change.old !== undefined ? [change.old] : [])
  const added = changes.flatMap((change) => change.status === "A" && change.new !== undefined ? [change.new] : [])
  if (removed.length === 0 || added.length === 0) return changes
  const withId = async (version: FileVersion): Promise<{ path: string; mode: number; oid: string }> => ({
    path: version.path,
    mode: version.mode,
    oid: version.oid ?? await repository.objects.hash("blob", await readVersion(repository, version)),
  })
  const renames: ReadonlyArray<Rename> = await findRenames(
    await Promise.all(removed.map(withId)),
    await Promise.all(added.map(withId)),
    (candidate) => readVersion(repository, [...removed, ...added].find(({ path }) => path === candidate.path)),
    repository.pause,
  )
  const byTarget = new Map(renames.map((rename) => [rename.to, rename]))
  const sources = new Set(renames.map(({ from }) => from))
  return changes.flatMap((change): ReadonlyArray<FileChange> => {
    if (change.status === "D" && sources.has(change.old?.path ?? "")) return []
    const rename = change.status === "A" ? byTarget.get(change.new?.path ?? "") : undefined
    if (rename === undefined) return [change]
    const old = removed.find(({ path }) => path === rename.from)
    return [{ status: "R", old, new: change.new, similarity: Math.floor(rename.score / 600) }]
  })
}
