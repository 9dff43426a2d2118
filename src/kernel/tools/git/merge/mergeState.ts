/** State of a merge, cherry-pick or revert between commands, and its end. */
import { failure, fatal, GitError } from "../GitError.ts"
import { pathOf } from "../diff/changes.ts"
import type { Repository } from "../repository/Repository.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"
import { applyTree, filesOf, indexMap, mergeWords } from "../worktree/applyTree.ts"
import { pendingOperation, removeState } from "../worktree/pendingOperation.ts"
import { stagedChanges } from "../worktree/readStatus.ts"
import type { MergeLabels } from "./mergeTexts.ts"
import type { MergedTree } from "./mergeTrees.ts"

export const conflictStyle = async (repository: Repository): Promise<MergeLabels["style"]> =>
  (await repository.config.get("merge.conflictstyle") ?? "merge").startsWith("merge") ? "merge" : "diff3"

/** Aborts a merge, cherry-pick or revert, and returns to HEAD. */
export const abortOperation = async (repository: Repository, name: string): Promise<void> => {
  if (await repository.refs.resolve(name) === undefined) {
    const what = name === "MERGE_HEAD"
      ? "There is no merge to abort (MERGE_HEAD missing)."
      : "no cherry-pick or revert in progress"
    return name === "MERGE_HEAD"
      ? fatal(what)
      : failure(`${what}\nfatal: ${name === "REVERT_HEAD" ? "revert" : "cherry-pick"} failed`, 128)
  }
  const head = await repository.head()
  // Changes of the work tree that the merge did not make are kept.
  const index = await repository.index()
  const files = await filesOf(repository, head)
  for (const path of index.conflicts) {
    index.remove(path)
    const entry = files.get(path)
    if (entry === undefined) repository.removeFile(path)
    else index.add(await repository.checkoutFile(path, entry.oid, entry.mode))
  }
  await applyTree(repository, await indexMap(repository), files, mergeWords)
  removeState(repository, name, "MERGE_MSG", "MERGE_MODE")
}

export const requireCleanIndex = async (repository: Repository, what: string): Promise<void> => {
  const index = await repository.index()
  const pending = pendingOperation(repository)
  if (index.conflicts.length > 0) {
    throw new GitError(
      128,
      `error: ${what} is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\n` +
        "hint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
    )
  }
  if (pending === "merge") {
    fatal("You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.")
  }
  const staged = await stagedChanges(repository, parsePathspec(repository, []))
  if (staged.length > 0) {
    throw new GitError(
      2,
      `error: Your local changes to the following files would be overwritten by merge:\n${
        staged.map((change) => `  ${pathOf(change)}`).join("\n")
      }`,
    )
  }
}

export const conflictLines = (conflicts: MergedTree["conflicts"]): string =>
  conflicts.map(({ path }) => `#\t${path}\n`).join("")
