/** `git cherry-pick` and `git revert`. Source: git-cherry-pick(1), git-revert(1). */
import { failure, GitError } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { splitRange } from "../history/revisionRange.ts"
import { abbreviate, requireCommit } from "../history/revisions.ts"
import { walkCommits } from "../history/walkCommits.ts"
import { abortOperation } from "../merge/mergeState.ts"
import { pickCommit } from "../merge/pickCommit.ts"
import { clearTodo, readStart, readTodo, writeTodo } from "../merge/sequencer.ts"
import type { Repository } from "../repository/Repository.ts"
import { replaceFile } from "../repository/files.ts"
import { type Commit, subjectOf } from "../repository/objects.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"
import { overwriteTree } from "../worktree/applyTree.ts"
import { defaultStatus } from "../worktree/longStatus.ts"
import { removeState } from "../worktree/pendingOperation.ts"
import { stagedChanges } from "../worktree/readStatus.ts"
import { commit as commitCommand } from "./commit.ts"

/** The commits of operands, ranges from the oldest on. */
const readCommits = async (repository: Repository, operands: ReadonlyArray<string>): Promise<ReadonlyArray<Commit>> => {
  const commits: Array<Commit> = []
  for (const operand of operands) {
    const range = splitRange(operand)
    if (range === undefined) {
      commits.push(await repository.objects.commit(await requireCommit(repository, operand)))
      continue
    }
    const found: Array<Commit> = []
    const [from, to] = [await requireCommit(repository, range[0]), await requireCommit(repository, range[2])]
    for await (const commit of walkCommits(repository, { include: [to], exclude: [from] })) found.push(commit)
    commits.push(...found.reverse())
  }
  return commits
}

/** Ends the whole operation, and goes back to the commit before it. */
const abortPicks = async (repository: Repository, head: string): Promise<void> => {
  const start = await readStart(repository)
  await abortOperation(repository, head)
  if (start !== undefined && start !== await repository.head()) {
    await overwriteTree(repository, start)
    await repository.moveHead(start, `reset: moving to ${start}`)
  }
  clearTodo(repository)
}

const requireNothingStaged = async (repository: Repository, name: string): Promise<void> => {
  const staged = await stagedChanges(repository, parsePathspec(repository, []))
  if (staged.length === 0) return
  failure(
    `your local changes would be overwritten by ${name}.\nhint: commit your changes or stash them to proceed.\nfatal: ${name} failed`,
    128,
  )
}

const emptyText = (name: string): string =>
  `The previous ${name} is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git ${name} --skip'`

const conflictText = (name: string, commit: string): string =>
  `error: could not ${name === "revert" ? "revert" : "apply"} ${commit}\n` +
  `hint: After resolving the conflicts, mark them with\nhint: "git add/rm <pathspec>", then run\nhint: "git ${name} --continue".\nhint: You can instead skip this commit with "git ${name} --skip".\n` +
  `hint: To abort and get back to the state before "git ${name}",\nhint: run "git ${name} --abort".`

const pickCommand = (isRevert: boolean): Command => async (git, args) => {
  const name = isRevert ? "revert" : "cherry-pick"
  const repository = await git.worktree()
  const line = git.parse(
    name,
    "n|no-commit x m|mainline: abort continue skip quit no-edit e|edit s|signoff allow-empty keep-redundant-commits X|strategy-option: ff strategy: no-gpg-sign",
    args,
  )
  line.refuse("s ff e strategy", "leave it out")
  const head = isRevert ? "REVERT_HEAD" : "CHERRY_PICK_HEAD"
  const rest = await readTodo(repository)
  if (line.has("abort")) return abortPicks(repository, head)
  if (line.has("skip")) await abortOperation(repository, head)
  if (line.has("quit") || line.has("skip")) removeState(repository, head)
  if (line.has("quit")) return clearTodo(repository)
  if (line.has("continue")) {
    if (await repository.refs.resolve(head) === undefined && rest.length === 0) {
      return failure(`no cherry-pick or revert in progress\nfatal: ${name} failed`, 128)
    }
    if (await repository.refs.resolve(head) !== undefined) {
      const code = await commitCommand(git, [])
      if (typeof code === "number" && code !== 0) return code
    }
  }
  const isResumed = line.has("continue") || line.has("skip")
  if (!isResumed && line.operands.length === 0) {
    throw new GitError(129, `usage: git ${name} [--edit] [-n] [-m <parent-number>] <commit>...`)
  }
  const commits = isResumed
    ? await Promise.all(rest.map((oid) => repository.objects.commit(oid)))
    : await readCommits(repository, line.operands)
  if (!isResumed && !line.has("n")) await requireNothingStaged(repository, name)
  const ordered = isRevert && !isResumed && line.operands.some((operand) => operand.includes(".."))
    ? [...commits].reverse()
    : commits
  const start = await repository.head()
  const mainline = line.value("m")
  const favor = line.values("X").at(-1)
  for (const [at, commit] of ordered.entries()) {
    const result = await pickCommit(git, repository, commit, {
      isRevert,
      noCommit: line.has("n"),
      mainline: mainline === undefined ? undefined : Number(mainline),
      addOrigin: line.has("x"),
      favor: favor === "ours" || favor === "theirs" ? favor : undefined,
      keepEmpty: line.has("keep-redundant-commits") || line.has("allow-empty"),
    })
    if (result === "done") continue
    if (ordered.length > 1) {
      await writeTodo(repository, isRevert ? "revert" : "pick", ordered.slice(at + 1), start)
    }
    if (result === "empty") {
      await replaceFile(repository.system, `${repository.gitdir}/${head}`, `${commit.oid}\n`)
      git.warn(emptyText(name))
      git.print(await defaultStatus(repository))
      return 1
    }
    git.warn(conflictText(name, `${abbreviate(repository, commit.oid)}... ${subjectOf(commit.message)}`))
    return 1
  }
  clearTodo(repository)
  return 0
}

export const cherryPick: Command = pickCommand(false)
export const revert: Command = pickCommand(true)
