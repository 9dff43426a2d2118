/** Applies the change of a commit, or its inverse, on top of HEAD. Source: git-cherry-pick(1). */
import { failure, fatal } from "../GitError.ts"
import type { Session } from "../Session.ts"
import { abbreviate } from "../history/revisions.ts"
import type { Repository } from "../repository/Repository.ts"
import { replaceFile } from "../repository/files.ts"
import { type Commit, type Signature, subjectOf } from "../repository/objects.ts"
import { applyTree, filesOf, indexMap, mergeWords } from "../worktree/applyTree.ts"
import { cleanMessage, commitReport } from "../worktree/commitMessage.ts"
import { conflictLines, conflictStyle } from "./mergeState.ts"
import type { MergeLabels } from "./mergeTexts.ts"
import { mergeTrees } from "./mergeTrees.ts"

interface PickOptions {
  readonly isRevert: boolean
  readonly noCommit: boolean
  readonly mainline: number | undefined
  readonly addOrigin: boolean
  readonly isQuiet?: boolean
  readonly favor?: "ours" | "theirs" | undefined
  readonly keepEmpty?: boolean
}

export type PickResult = "done" | "conflict" | "empty"

/** Applies the change of a commit, or its inverse, on top of HEAD. */
export const pickCommit = async (
  git: Session,
  repository: Repository,
  commit: Commit,
  options: PickOptions,
): Promise<PickResult> => {
  const { isRevert } = options
  const head = await repository.head() ?? fatal("your current branch does not have any commits yet")
  const parent = commit.parents.length > 1
    ? commit
      .parents[
        (options.mainline ??
          failure(
            `commit ${commit.oid} is a merge but no -m option was given.\nfatal: ${
              isRevert ? "revert" : "cherry-pick"
            } failed`,
            128,
          )) - 1
      ]
    : commit.parents[0]
  const [own, before] = [await filesOf(repository, commit.oid), await filesOf(repository, parent)]
  const ours = options.noCommit ? await indexMap(repository) : await filesOf(repository, head)
  const short = abbreviate(repository, commit.oid)
  const label = `${isRevert ? "parent of " : ""}${short} (${subjectOf(commit.message)})`
  const other = `${isRevert ? short : `parent of ${short}`} (${subjectOf(commit.message)})`
  const labels: MergeLabels = {
    ours: "HEAD",
    base: other,
    theirs: label,
    style: await conflictStyle(repository),
    favor: options.favor,
  }
  const merged = await mergeTrees(repository, isRevert ? own : before, ours, isRevert ? before : own, labels)
  await applyTree(repository, ours, merged.files, mergeWords, { conflicts: merged.conflicts })
  if (options.isQuiet !== true || merged.conflicts.length > 0) {
    for (const text of merged.messages) {
      git.printLine(text)
    }
  }
  const message = isRevert
    ? `Revert "${subjectOf(commit.message)}"\n\nThis reverts commit ${commit.oid}${
      commit.parents.length > 1 ? `, reversing\nchanges made to ${parent}` : ""
    }.\n`
    : options.addOrigin
    ? `${commit.message.replace(/\n*$/, "\n")}${
      /\n\n(?:[\w-]+: .*\n|\(cherry picked from .*\n)+$/.test(commit.message) ? "" : "\n"
    }(cherry picked from commit ${commit.oid})\n`
    : commit.message
  const { gitdir, system } = repository
  if (merged.conflicts.length > 0) {
    if (!options.noCommit) {
      await replaceFile(system, `${gitdir}/${isRevert ? "REVERT_HEAD" : "CHERRY_PICK_HEAD"}`, `${commit.oid}\n`)
    }
    await replaceFile(
      system,
      `${gitdir}/MERGE_MSG`,
      `${message.replace(/\n*$/, "\n")}\n# Conflicts:\n${conflictLines(merged.conflicts)}`,
    )
    return "conflict"
  }
  if (options.noCommit) return "done"
  const tree = await repository.objects.writeFiles(merged.files)
  const headTree = (await repository.objects.commit(head)).tree
  if (
    tree === headTree &&
    commit.tree !== (parent === undefined ? undefined : (await repository.objects.commit(parent)).tree) &&
    options.keepEmpty !== true
  ) return "empty"
  const author: Signature = isRevert ? await repository.signature("AUTHOR") : commit.author
  const made = {
    tree,
    parents: [head],
    author,
    committer: await repository.signature("COMMITTER"),
    message: cleanMessage(message, false),
  }
  const oid = await repository.objects.writeCommit(made)
  if (options.isQuiet !== true) {
    await repository.moveHead(oid, `${isRevert ? "revert" : "cherry-pick"}: ${subjectOf(made.message)}`)
    await commitReport(git, repository, { oid, ...made }, { date: true })
  } else await repository.moveHead(oid, `rebase (pick): ${subjectOf(made.message)}`)
  return "done"
}
