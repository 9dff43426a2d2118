/** Changes the index and the work tree from one set of files to another, and keeps local changes. */
import { FileType } from "../../../Stat.ts"
import { GitError } from "../GitError.ts"
import { worktreeVersion } from "../diff/changes.ts"
import type { FileMap, MergeConflict } from "../merge/mergeTrees.ts"
import { noStat } from "../repository/IndexFile.ts"
import type { Repository } from "../repository/Repository.ts"
import { lstat } from "../repository/files.ts"
import { IgnoreRules } from "./ignore.ts"

/** Names of operations, for messages. */
export interface ApplyWords {
  /** `checkout`, `merge`. */
  readonly operation: string
  /** `switch branches`, `merge`. */
  readonly before: string
}

export const checkoutWords: ApplyWords = { operation: "checkout", before: "switch branches" }
export const mergeWords: ApplyWords = { operation: "merge", before: "merge" }

const listed = (paths: ReadonlyArray<string>): string => paths.map((path) => `\t${path}`).join("\n")

/** Fails if the change would overwrite uncommitted changes. */
const checkOverwrites = async (
  repository: Repository,
  from: FileMap,
  to: FileMap,
  words: ApplyWords,
): Promise<void> => {
  const index = await repository.index()
  const rules = new IgnoreRules(repository)
  const [local, untracked, removed]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
  for (const path of new Set([...from.keys(), ...to.keys()])) {
    const [before, after] = [from.get(path), to.get(path)]
    if (before?.oid === after?.oid && before?.mode === after?.mode) continue
    await repository.pause()
    const entry = index.get(path)
    if (entry === undefined) {
      const stat = lstat(repository.system, repository.absolute(path))
      if (before !== undefined && index.isConflicted(path)) local.push(path)
      else if (before !== undefined && after !== undefined) local.push(path)
      else if (
        after !== undefined && stat !== undefined && stat.type !== FileType.directory &&
        !await rules.isIgnored(path, false)
      ) {
        const file = await repository.readWorktree(path)
        if (file === undefined || await repository.objects.hash("blob", file.bytes) !== after.oid) {
          ;(after === undefined ? removed : untracked).push(path)
        }
      }
      continue
    }
    const isAfter = entry.oid === after?.oid && entry.mode === after.mode
    const isBefore = entry.oid === before?.oid && entry.mode === before.mode
    if (!isAfter && !isBefore) {
      local.push(path)
      continue
    }
    if (isAfter) continue
    const now = await worktreeVersion(repository, entry, index.written)
    if (now !== undefined && (now.oid !== entry.oid || now.mode !== entry.mode)) local.push(path)
  }
  const parts: Array<string> = []
  if (local.length > 0) {
    parts.push(
      `error: Your local changes to the following files would be overwritten by ${words.operation}:\n${
        listed(local.sort())
      }\n` +
        `Please commit your changes or stash them before you ${words.before}.`,
    )
  }
  if (untracked.length > 0) {
    parts.push(
      `error: The following untracked working tree files would be overwritten by ${words.operation}:\n${
        listed(untracked.sort())
      }\n` +
        `Please move or remove them before you ${words.before}.`,
    )
  }
  if (parts.length > 0) throw new GitError(1, `${parts.join("\n")}\nAborting`)
}

/** Moves the index and the work tree from one set of files to another. Unless `force`, local changes stay or stop it. */
export const applyTree = async (
  repository: Repository,
  from: FileMap,
  to: FileMap,
  words: ApplyWords,
  options: { readonly force?: boolean; readonly conflicts?: ReadonlyArray<MergeConflict> } = {},
): Promise<void> => {
  if (options.force !== true) await checkOverwrites(repository, from, to, words)
  const index = await repository.index()
  const paths = new Set([
    ...from.keys(),
    ...to.keys(),
    ...options.force === true ? index.entries.map(({ path }) => path) : [],
  ])
  for (const path of paths) {
    const [before, after] = [from.get(path), to.get(path)]
    await repository.pause()
    if (after === undefined) {
      if (options.force !== true && before === undefined) continue
      const entry = index.get(path)
      index.remove(path)
      if (entry !== undefined || before !== undefined) repository.removeFile(path)
      continue
    }
  }
  for (const [path, after] of to) {
    const before = from.get(path)
    await repository.pause()
    const entry = index.get(path)
    if (options.force === true) {
      const now = entry === undefined ? undefined : await worktreeVersion(repository, entry, index.written)
      if (
        entry !== undefined && now !== undefined && now.oid === after.oid && now.mode === after.mode &&
        entry.oid === after.oid && entry.mode === after.mode
      ) continue
    } else if (before?.oid === after.oid && before.mode === after.mode) continue
    else if (entry !== undefined && entry.oid === after.oid && entry.mode === after.mode) continue
    index.add(await repository.checkoutFile(path, after.oid, after.mode))
  }
  for (const { path, stages } of options.conflicts ?? []) {
    index.remove(path)
    stages.forEach((stage, at) => {
      if (stage !== undefined) {
        index.set({ path, stage: at + 1, mode: stage.mode, oid: stage.oid, ...noStat, isIntent: false })
      }
    })
  }
  await index.write()
}

/** Makes the index and the work tree those of a commit; local changes are lost. */
export const overwriteTree = async (repository: Repository, oid: string | undefined): Promise<void> =>
  applyTree(repository, await indexMap(repository), await filesOf(repository, oid), checkoutWords, { force: true })

/** The files of the index, without conflicts and submodules' content. */
export const indexMap = async (repository: Repository): Promise<FileMap> =>
  new Map(
    (await repository.index()).entries.flatMap(({ mode, oid, path, stage }) =>
      stage === 0 ? [[path, { mode, oid }] as const] : []
    ),
  )

/** The files of a commit. */
export const filesOf = async (repository: Repository, oid: string | undefined): Promise<FileMap> =>
  oid === undefined ? new Map() : repository.objects.files((await repository.objects.commit(oid)).tree)
