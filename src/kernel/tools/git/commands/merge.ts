/** `git merge`. Source: git-merge(1). */
import { fatal, GitError, unsupported } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { expandName, requireCommit, resolveRevision } from "../history/revisions.ts"
import { mergeCommit } from "../merge/mergeCommit.ts"
import { abortOperation } from "../merge/mergeState.ts"
import { pendingOperation, removeState } from "../worktree/pendingOperation.ts"
import { commit as commitCommand } from "./commit.ts"

export const mergeSpec =
  "m|message: no-ff ff ff-only squash no-squash commit no-commit abort continue quit q|quiet n|no-stat stat X|strategy-option: s|strategy: allow-unrelated-histories no-edit e|edit F|file: log:: no-log signoff v|verbose no-verify autostash no-autostash progress no-progress no-gpg-sign"

export const merge: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("merge", mergeSpec, args)
  line.refuse("F log signoff autostash e", "give the message by -m")
  if (line.has("abort")) return abortOperation(repository, "MERGE_HEAD")
  if (line.has("quit")) {
    return removeState(repository, "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE")
  }
  if (line.has("continue")) {
    if (pendingOperation(repository) !== "merge") return fatal("There is no merge in progress (MERGE_HEAD missing).")
    return commitCommand(git, [])
  }
  const strategy = line.value("s")
  if (strategy !== undefined && !["ort", "recursive", "ours"].includes(strategy)) {
    unsupported(`the merge strategy '${strategy}'`, "use ort or ours")
  }
  for (const option of line.values("X")) {
    if (option !== "ours" && option !== "theirs") {
      unsupported(`the merge option '${option}'`, "use -X ours or -X theirs")
    }
  }
  if (line.operands.length > 1) unsupported("a merge of several branches", "merge them one after the other")
  const given = line.operands[0] ?? "@{u}"
  const name = given === "-" ? "@{-1}" : given
  const oid = await resolveRevision(repository, name)
  if (oid === undefined) throw new GitError(1, `merge: ${given} - not something we can merge`)
  return mergeCommit(
    git,
    repository,
    line,
    name === "@{u}" ? (await expandName(repository, name))?.replace(/^refs\/(?:remotes|heads)\//, "") ?? name : given,
    await requireCommit(repository, name),
  )
}
