/** `git switch`. Source: git-switch(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { expandName, resolveRevision } from "../history/revisions.ts"
import { applyTree, checkoutWords, indexMap } from "../worktree/applyTree.ts"
import { pendingOperation } from "../worktree/pendingOperation.ts"
import { expandDash, findRemoteBranch, switchTo, switchToNew } from "../worktree/switchBranch.ts"

export const switchCommand: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "switch",
    "c|create: C|force-create: d|detach f|force discard-changes q|quiet t|track:: no-track guess no-guess orphan: m|merge",
    args,
  )
  line.refuse("m", "commit or stash first")
  const pending = pendingOperation(repository)
  if (pending !== undefined && pending !== "rebase") {
    const hint = pending === "merge" ? "git merge --quit" : `git ${pending} --quit`
    return fatal(
      `cannot switch branch while ${
        pending === "merge" ? "merging" : pending === "revert" ? "reverting" : "cherry-picking"
      }\nConsider "${hint}" or "git worktree add".`,
    )
  }
  const created = line.value("c") ?? line.value("C")
  const [first] = line.operands
  if (created !== undefined) {
    return switchToNew(
      git,
      repository,
      { ...line, has: (option) => line.has(option === "B" ? "C" : option) },
      created,
      first ?? "HEAD",
    )
  }
  const orphan = line.value("orphan")
  if (orphan !== undefined) {
    await applyTree(repository, await indexMap(repository), new Map(), checkoutWords)
    await repository.refs.setSymbolic("HEAD", `refs/heads/${orphan}`)
    return git.warn(`Switched to a new branch '${orphan}'`)
  }
  if (first === undefined) return fatal("missing branch or commit argument")
  const name = await expandDash(repository, first)
  const ref = await expandName(repository, name)
  if (line.has("d")) return switchTo(git, repository, line, name)
  if (await repository.refs.resolve(`refs/heads/${name}`) !== undefined) return switchTo(git, repository, line, name)
  const remote = ref === undefined ? await findRemoteBranch(repository, name) : undefined
  if (remote !== undefined) return switchToNew(git, repository, line, name, remote)
  if (ref === undefined && await resolveRevision(repository, name) === undefined) {
    return fatal(`invalid reference: ${name}`)
  }
  const kind = ref?.startsWith("refs/tags/") === true
    ? "tag"
    : ref?.startsWith("refs/remotes/") === true
    ? "remote branch"
    : "commit"
  return fatal(
    `a branch is expected, got ${kind} '${name}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.`,
  )
}
