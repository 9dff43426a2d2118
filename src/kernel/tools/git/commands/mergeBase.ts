/** `git merge-base`. Source: git-merge-base(1). */
import { fatal, GitError } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { requireCommit, resolveRevision } from "../history/revisions.ts"
import { isAncestor } from "../history/upstream.ts"
import { mergeBases } from "../history/walkCommits.ts"
import type { Repository } from "../repository/Repository.ts"

export const mergeBase: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("merge-base", "a|all is-ancestor fork-point octopus independent", args)
  line.refuse("fork-point octopus independent", "name two commits")
  const [one, two] = line.operands
  if (one === undefined || two === undefined) {
    throw new GitError(129, "usage: git merge-base [-a | --all] <commit> <commit>...")
  }
  const [a, b] = [await requireCommitName(repository, one), await requireCommitName(repository, two)]
  if (line.has("is-ancestor")) return await isAncestor(repository, a, b) ? 0 : 1
  const bases = await mergeBases(repository, a, b)
  for (const oid of line.has("a") ? bases : bases.slice(0, 1)) git.printLine(oid)
  return bases.length === 0 ? 1 : 0
}

const requireCommitName = async (repository: Repository, name: string): Promise<string> =>
  await resolveRevision(repository, name) === undefined
    ? fatal(`Not a valid object name ${name}`)
    : requireCommit(repository, name)
