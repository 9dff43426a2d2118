/** Reads what differs between HEAD, the index and the work tree. Source: git-status(1). */
import {
  compareFiles,
  detectRenames,
  type FileChange,
  indexFiles,
  pathOf,
  untrackedFiles,
  worktreeChanges,
} from "../diff/changes.ts"
import type { IndexFile } from "../repository/IndexFile.ts"
import type { Repository } from "../repository/Repository.ts"
import type { Pathspec } from "./Pathspec.ts"
import { filesOf } from "./applyTree.ts"

export interface Status {
  readonly isInitial: boolean
  readonly branch: string | undefined
  readonly staged: ReadonlyArray<FileChange>
  readonly unstaged: ReadonlyArray<FileChange>
  readonly conflicts: ReadonlyArray<string>
  readonly untracked: ReadonlyArray<string>
  readonly ignored: ReadonlyArray<string>
  readonly index: IndexFile
}

export interface StatusOptions {
  readonly untracked: "no" | "normal" | "all"
  readonly ignored?: boolean
}

export const stagedChanges = async (repository: Repository, pathspec: Pathspec): Promise<ReadonlyArray<FileChange>> => {
  const index = await repository.index()
  const conflicts = new Set(index.conflicts)
  const before = await filesOf(repository, await repository.head())
  return compareFiles(before, indexFiles(index.entries)).filter((change) =>
    !conflicts.has(pathOf(change)) && pathspec.matches(pathOf(change))
  )
}

export const readStatus = async (
  repository: Repository,
  pathspec: Pathspec,
  options: StatusOptions,
): Promise<Status> => {
  const index = await repository.index()
  const conflicts = index.conflicts.filter((path) => pathspec.matches(path))
  const whole = options.untracked === "all"
  return {
    isInitial: await repository.head() === undefined,
    branch: await repository.branch(),
    staged: await detectRenames(repository, await stagedChanges(repository, pathspec)),
    unstaged: (await worktreeChanges(repository, pathspec)).filter((change) => !index.isConflicted(pathOf(change))),
    conflicts,
    untracked: options.untracked === "no" ? [] : await untrackedFiles(repository, pathspec, { whole }),
    ignored: options.ignored === true ? await untrackedFiles(repository, pathspec, { whole, ignored: true }) : [],
    index,
  }
}

export const stagesOf = (index: IndexFile, path: string): number =>
  [1, 2, 3].reduce((mask, stage) => mask | (index.get(path, stage) === undefined ? 0 : 1 << (stage - 1)), 0)
