/** `git checkout`. Source: git-checkout(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { abbreviate, peel, resolveRevision } from "../history/revisions.ts"
import { exists } from "../repository/files.ts"
import { checkoutPaths } from "../worktree/checkoutPaths.ts"
import { expandDash, findRemoteBranch, printLocalChanges, switchTo, switchToNew } from "../worktree/switchBranch.ts"

export const checkout: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "checkout",
    "b: B: f|force q|quiet t|track:: no-track detach d orphan: ours theirs m|merge p|patch l guess no-guess conflict: progress no-progress",
    args,
  )
  line.refuse("m p conflict", "commit or stash first")
  const created = line.value("b") ?? line.value("B")
  const operands = [...line.operands]
  if (created !== undefined) return switchToNew(git, repository, line, created, operands[0] ?? "HEAD")
  const orphan = line.value("orphan")
  if (orphan !== undefined) {
    await repository.refs.setSymbolic("HEAD", `refs/heads/${orphan}`)
    return git.warn(`Switched to a new branch '${orphan}'`)
  }
  const [first] = operands
  if (first === undefined && line.paths === undefined) {
    await printLocalChanges(git, repository)
    return
  }
  const name = first === undefined ? undefined : await expandDash(repository, first)
  const revision = name === undefined ? undefined : await resolveRevision(repository, name)
  const remote = name === undefined || revision !== undefined ? undefined : await findRemoteBranch(repository, name)
  const isThere = name !== undefined && exists(repository.system, name)
  if (
    name !== undefined && revision === undefined && remote !== undefined && !isThere && operands.length === 1 &&
    line.paths === undefined
  ) {
    return switchToNew(git, repository, line, name, remote)
  }
  const takesPaths = line.paths !== undefined || operands.length > 1 || revision === undefined
  if (takesPaths) {
    const isTree = revision !== undefined && (line.paths !== undefined || operands.length > 1)
    if (line.paths !== undefined && first !== undefined && revision === undefined) {
      return fatal(`invalid reference: ${first}`)
    }
    const paths = [...isTree ? operands.slice(1) : operands, ...line.paths ?? []]
    const tree = isTree && revision !== undefined ? await peel(repository, revision, "tree") : undefined
    const count = await checkoutPaths(git, repository, tree, paths, line)
    if (!line.has("q")) {
      git.warn(
        `Updated ${count} path${count === 1 ? "" : "s"} from ${
          tree === undefined ? "the index" : abbreviate(repository, tree)
        }`,
      )
    }
    return
  }
  if (name !== undefined && line.has("t")) {
    const short = name.split("/").slice(1).join("/")
    return switchToNew(git, repository, line, short, name)
  }
  await switchTo(git, repository, line, name ?? "HEAD")
}
