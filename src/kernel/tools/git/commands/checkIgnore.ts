/** `git check-ignore`. Source: git-check-ignore(1). */
import type { Command } from "../Session.ts"
import { repositoryPath } from "../worktree/Pathspec.ts"
import { IgnoreRules } from "../worktree/ignore.ts"

export const checkIgnore: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("check-ignore", "q|quiet v|verbose n|non-matching no-index stdin z", args)
  line.refuse("v n stdin", "name the files")
  const rules = new IgnoreRules(repository)
  const index = await repository.index()
  let count = 0
  for (const given of line.allOperands) {
    const path = repositoryPath(repository, given)
    const stat = git.system.stat(repository.absolute(path))
    if (index.has(path) && !line.has("no-index")) continue
    if (!await rules.isIgnored(path, typeof stat === "object" && stat.type === 3)) continue
    count++
    if (!line.has("q")) git.printLine(given)
  }
  return count === 0 ? 1 : 0
}
