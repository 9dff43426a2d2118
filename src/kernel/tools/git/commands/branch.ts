/** `git branch`. Source: git-branch(1). */
import { fatal } from "../GitError.ts"
import type { Command, CommandLine, Session } from "../Session.ts"
import { createBranch, setUpstream } from "../branches/createBranch.ts"
import { listBranches } from "../branches/listBranches.ts"
import { abbreviate } from "../history/revisions.ts"
import { isAncestor, upstreamOf } from "../history/upstream.ts"
import type { Repository } from "../repository/Repository.ts"

const deleteBranches = async (git: Session, repository: Repository, line: CommandLine): Promise<number> => {
  let code = 0
  const current = await repository.branch()
  for (const name of line.operands) {
    const ref = line.has("r") ? `refs/remotes/${name}` : `refs/heads/${name}`
    const oid = await repository.refs.resolve(ref)
    if (oid === undefined) {
      git.warn(`error: ${line.has("r") ? "remote-tracking " : ""}branch '${name}' not found.`)
      code = 1
      continue
    }
    if (name === current && !line.has("r")) {
      git.warn(`error: Cannot delete branch '${name}' checked out at '${repository.top}'`)
      code = 1
      continue
    }
    if (line.has("d") && !line.has("f") && !line.has("r")) {
      const upstream = await upstreamOf(repository, name)
      const target = (upstream === undefined ? undefined : await repository.refs.resolve(upstream.ref)) ??
        await repository.head()
      if (target === undefined || !await isAncestor(repository, oid, target)) {
        git.warn(
          `error: The branch '${name}' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D ${name}'.`,
        )
        code = 1
        continue
      }
    }
    await repository.refs.delete(ref)
    if (!line.has("r")) await repository.config.local?.removeSection(`branch.${name}`)
    git.printLine(
      `Deleted ${line.has("r") ? "remote-tracking " : ""}branch ${name} (was ${abbreviate(repository, oid)}).`,
    )
  }
  return code
}

const renameBranch = async (repository: Repository, line: CommandLine): Promise<void> => {
  const current = await repository.branch()
  const [from, to] = line.operands.length === 1 ? [current, line.operands[0]] : line.operands
  if (from === undefined || to === undefined) return fatal("branch name required")
  repository.refs.requireName(to, "branch")
  const copies = line.has("c") || line.has("C")
  const oid = await repository.refs.resolve(`refs/heads/${from}`)
  if (oid === undefined && from !== current) return fatal(`no branch named '${from}'`)
  if (
    from !== to && await repository.refs.resolve(`refs/heads/${to}`) !== undefined && !line.has("M") &&
    !line.has("C") && !line.has("f")
  ) {
    return fatal(`a branch named '${to}' already exists`)
  }
  const who = await repository.signature("COMMITTER").catch(() => undefined)
  if (oid !== undefined && from !== to) {
    const log = await repository.refs.logOf(`refs/heads/${from}`)
    if (!copies) await repository.refs.delete(`refs/heads/${from}`)
    await repository.refs.update(`refs/heads/${to}`, oid)
    await repository.refs.replaceLog(`refs/heads/${to}`, log)
    if (who !== undefined) {
      await repository.refs.log(
        `refs/heads/${to}`,
        oid,
        oid,
        who,
        `Branch: ${copies ? "copied" : "renamed"} refs/heads/${from} to refs/heads/${to}`,
      )
    }
  }
  if (copies) return
  await repository.config.local?.renameSection(`branch.${from}`, `branch.${to}`)
  if (from !== current) return
  await repository.refs.setSymbolic("HEAD", `refs/heads/${to}`)
  if (oid !== undefined && who !== undefined) {
    await repository.refs.log("HEAD", oid, oid, who, `Branch: renamed refs/heads/${from} to refs/heads/${to}`)
  }
}

export const branch: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "branch",
    "d|delete D a|all r|remotes l|list v|verbose m|move M c|copy C f|force show-current u|set-upstream-to: unset-upstream merged:: no-merged:: contains:: no-contains:: t|track:: no-track format: q|quiet sort: edit-description points-at: i|ignore-case column:: no-column no-color color::",
    args,
  )
  line.refuse("edit-description sort points-at", "leave it out")
  if (line.has("show-current")) {
    const current = await repository.branch()
    return current === undefined ? 0 : void git.printLine(current)
  }
  if (line.has("d") || line.has("D")) {
    return line.operands.length === 0 ? fatal("branch name required") : deleteBranches(git, repository, line)
  }
  if (line.has("m") || line.has("M") || line.has("c") || line.has("C")) return renameBranch(repository, line)
  const upstream = line.value("u")
  const name = line.operands[0] ?? await repository.branch()
  if (upstream !== undefined) {
    return name === undefined
      ? fatal("could not set upstream of HEAD when it does not point to any branch")
      : setUpstream(git, repository, name, upstream)
  }
  if (line.has("unset-upstream")) {
    if (name === undefined || await repository.config.get(`branch.${name}.merge`) === undefined) {
      return fatal(`Branch '${name}' has no upstream information`)
    }
    await repository.config.local?.unset(`branch.${name}.remote`, true)
    await repository.config.local?.unset(`branch.${name}.merge`, true)
    return
  }
  const lists = ["list", "l", "a", "r", "merged", "no-merged", "contains", "no-contains", "format"].some((option) =>
    line.has(option)
  )
  if (lists || line.operands.length === 0) {
    return listBranches(git, repository, {
      ...line,
      has: (option) => line.has(option === "list" ? "l" : option) || (option === "list" && lists),
    })
  }
  const [made = "", start = "HEAD"] = line.operands
  await createBranch(git, repository, made, start, {
    force: line.has("f"),
    ...line.has("no-track") ? { track: false } : line.has("t") ? { track: true } : {},
  })
  return 0
}
