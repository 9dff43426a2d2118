/** `git mv`. Source: git-mv(1). */
import { errnoText } from "../../../Errno.ts"
import { FileType } from "../../../Stat.ts"
import { baseName } from "../../../utilities/shared/paths.ts"
import { fatal, GitError } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { quotePath } from "../quotePath.ts"
import { lstat } from "../repository/files.ts"
import { repositoryPath } from "../worktree/Pathspec.ts"

export const mv: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("mv", "f|force k n|dry-run v|verbose", args)
  const given = line.allOperands
  const target = given.at(-1)
  if (given.length < 2 || target === undefined) {
    throw new GitError(129, "usage: git mv [<options>] <source>... <destination>")
  }
  const index = await repository.index()
  const { system } = repository
  const to = repositoryPath(repository, target)
  const isFolder = to === "" || lstat(system, repository.absolute(to))?.type === FileType.directory
  const bad = (why: string, from: string, into: string): never => fatal(`${why}, source=${from}, destination=${into}`)
  if (given.length > 2 && !isFolder) return fatal(`destination '${target}' is not a directory`)
  for (const source of given.slice(0, -1)) {
    const from = repositoryPath(repository, source)
    const into = isFolder ? (to === "" ? baseName(from) : `${to}/${baseName(from)}`) : to
    const moved = index.entries.filter(({ path }) => path === from || path.startsWith(`${from}/`))
    const existing = lstat(system, repository.absolute(into))
    if (lstat(system, repository.absolute(from)) === undefined) bad("bad source", source, into)
    if (into === from || into.startsWith(`${from}/`)) bad("can not move directory into itself", source, into)
    if (moved.length === 0) {
      bad(
        lstat(system, repository.absolute(from))?.type === FileType.directory
          ? "source directory is empty"
          : "not under version control",
        source,
        into,
      )
    }
    if (existing !== undefined && !line.has("f")) bad("destination exists", source, into)
    if (target.endsWith("/") && !isFolder) bad("destination directory does not exist", source, target)
    if (line.has("v") || line.has("n")) git.printLine(`Renaming ${quotePath(from)} to ${quotePath(into)}`)
    if (line.has("n")) continue
    const renamed = system.rename(repository.absolute(from), repository.absolute(into))
    if (renamed < 0) return fatal(`renaming '${source}' failed: ${errnoText(renamed)}`)
    for (const entry of moved) {
      index.remove(entry.path)
      index.add({ ...entry, path: into + entry.path.slice(from.length) })
    }
  }
  if (!line.has("n")) await index.write()
}
