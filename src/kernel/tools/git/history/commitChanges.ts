/** Changes that commits make. */
import { compareFiles, type FileChange } from "../diff/changes.ts"
import type { Repository } from "../repository/Repository.ts"
import type { Commit } from "../repository/objects.ts"
import type { Pathspec } from "../worktree/Pathspec.ts"
import { filesOf } from "../worktree/applyTree.ts"
import { parentsIn } from "./walkCommits.ts"

/** The changes of a commit against its first parent. */
export const commitChanges = async (
  repository: Repository,
  commit: Commit,
  pathspec: Pathspec,
  parent?: string,
): Promise<ReadonlyArray<FileChange>> => {
  const known = parent === undefined ? (await parentsIn(repository))(commit)[0] : parent
  const changes = compareFiles(await filesOf(repository, known), await repository.objects.files(commit.tree))
  return pathspec.isEmpty
    ? changes
    : changes.filter(({ new: after, old }) => pathspec.matches((after ?? old)?.path ?? ""))
}

/** The changes between two commits. */
export const changesBetween = async (
  repository: Repository,
  from: string | undefined,
  to: string,
): Promise<ReadonlyArray<FileChange>> => compareFiles(await filesOf(repository, from), await filesOf(repository, to))
