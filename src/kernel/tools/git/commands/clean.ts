/** `git clean`. Source: git-clean(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { untrackedFiles } from "../diff/changes.ts"
import { quotePath } from "../quotePath.ts"
import { removeTree } from "../repository/files.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"

export const clean: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("clean", "f|force d n|dry-run q|quiet x X e|exclude: i|interactive", args)
  line.refuse("i e", "name the files")
  if (!line.has("f") && !line.has("n") && await repository.config.flag("clean.requireforce", true)) {
    return fatal("clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean")
  }
  const pathspec = parsePathspec(repository, line.allOperands)
  const found = new Set(line.has("X") ? [] : await untrackedFiles(repository, pathspec))
  if (line.has("x") || line.has("X")) {
    for (const path of await untrackedFiles(repository, pathspec, { ignored: true })) {
      found.add(path)
    }
  }
  for (const path of [...found].sort()) {
    if (path.endsWith("/") && !line.has("d")) continue
    if (!line.has("q")) {
      git.printLine(`${line.has("n") ? "Would remove" : "Removing"} ${quotePath(repository.relative(path))}`)
    }
    if (!line.has("n")) await removeTree(repository.system, repository.absolute(path.replace(/\/$/, "")))
  }
}
