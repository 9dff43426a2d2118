/** `git add`. Source: git-add(1). */
import { FileType } from "../../../Stat.ts"
import { fatal, GitError } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { pathOf, untrackedFiles, worktreeChanges } from "../diff/changes.ts"
import { noStat, statFields } from "../repository/IndexFile.ts"
import type { Repository } from "../repository/Repository.ts"
import { exists, lstat } from "../repository/files.ts"
import { parsePathspec, repositoryPath } from "../worktree/Pathspec.ts"
import { IgnoreRules } from "../worktree/ignore.ts"

/** Puts the content of a file of the work tree into the index. */
export const stageFile = async (repository: Repository, path: string): Promise<void> => {
  const index = await repository.index()
  const stat = lstat(repository.system, repository.absolute(path))
  const file = await repository.readWorktree(path)
  if (file === undefined || stat === undefined) return index.remove(path)
  const fileMode = await repository.config.flag("core.filemode", true)
  const known = index.get(path)
  const mode = !fileMode && known !== undefined && file.mode !== 0o120000 ? known.mode : file.mode
  const oid = await repository.objects.write("blob", file.bytes)
  index.add({ path, stage: 0, mode, oid, ...statFields(stat), isIntent: false })
}

/** Stages all changes of files that the index knows, or with `all` new files too. Returns the paths. */
export const stageChanges = async (
  repository: Repository,
  given: ReadonlyArray<string>,
  all: boolean,
): Promise<ReadonlyArray<string>> => {
  const pathspec = parsePathspec(repository, given)
  const paths = new Set((await worktreeChanges(repository, pathspec)).map(pathOf))
  if (all) { for (const path of await untrackedFiles(repository, pathspec, { whole: true })) paths.add(path) }
  for (const path of paths) {
    await stageFile(repository, path)
    await repository.pause()
  }
  return [...paths]
}

export const add: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "add",
    "A|all u|update f|force n|dry-run v|verbose N|intent-to-add p|patch i|interactive e|edit no-all ignore-removal ignore-errors chmod: renormalize sparse refresh pathspec-from-file:",
    args,
  )
  line.refuse("p i e renormalize refresh sparse pathspec-from-file ignore-removal no-all", "name the files")
  const given = line.allOperands
  const index = await repository.index()
  if (given.length === 0 && !line.has("A") && !line.has("u")) {
    git.warn(
      "Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\nhint: Turn this message off by running\nhint: \"git config advice.addEmptyPathspec false\"",
    )
    return 0
  }
  const pathspec = parsePathspec(repository, given.length === 0 ? (line.has("A") || line.has("u") ? [] : ["."]) : given)
  const changed = (await worktreeChanges(repository, pathspec)).map(pathOf)
  const fresh = line.has("u") ? [] : await untrackedFiles(repository, pathspec, { whole: true })
  // A path that is ignored, and named, is an error.
  const rules = new IgnoreRules(repository)
  const ignored: Array<string> = []
  const forced: Array<string> = []
  for (const text of given) {
    if (/[*?[]/.test(text) || text.startsWith(":")) continue
    const path = repositoryPath(repository, text)
    const stat = path === "" ? undefined : lstat(repository.system, repository.absolute(path))
    if (stat === undefined || index.has(path)) continue
    if (!await rules.isIgnored(path, stat.type === FileType.directory)) continue
    if (line.has("f")) {
      forced.push(
        ...stat.type === FileType.directory
          ? await untrackedFiles(repository, parsePathspec(repository, [text]), { whole: true, ignored: true })
          : [path],
      )
    } else if (!index.entries.some((entry) => entry.path.startsWith(`${path}/`))) ignored.push(text)
  }
  const known = [...index.entries.map(({ path }) => path), ...fresh, ...forced]
  const unmatched = pathspec.unmatched(known).filter((text) =>
    !ignored.includes(text) && !(exists(repository.system, text) && !line.has("u"))
  )
  if (unmatched[0] !== undefined) return fatal(`pathspec '${unmatched[0]}' did not match any files`)
  const chmod = line.value("chmod")
  if (chmod !== undefined && chmod !== "+x" && chmod !== "-x") {
    return fatal(`--chmod param '${chmod}' must be either -x or +x`)
  }
  for (const path of [...new Set([...changed, ...fresh, ...forced])]) {
    const isGone = lstat(repository.system, repository.absolute(path)) === undefined
    if (line.has("v") || line.has("n")) git.printLine(isGone ? `remove '${path}'` : `add '${path}'`)
    if (line.has("n")) continue
    if (line.has("N") && !index.has(path)) {
      index.set({
        path,
        stage: 0,
        mode: 0o100644,
        oid: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        ...noStat,
        isIntent: true,
      })
    } else await stageFile(repository, path)
    await git.pause()
  }
  if (chmod !== undefined) {
    for (const entry of index.entries) {
      if (pathspec.matches(entry.path)) index.set({ ...entry, mode: chmod === "+x" ? 0o100755 : 0o100644 })
    }
  }
  if (!line.has("n")) await index.write()
  if (ignored.length > 0) {
    throw new GitError(
      1,
      `The following paths are ignored by one of your .gitignore files:\n${ignored.join("\n")}\n` +
        'hint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: "git config advice.addIgnoredFile false"',
    )
  }
  return 0
}
