/** Implements `git add`, `git rm`, `git mv` and `git clean`. Source: git-add(1), git-rm(1), git-mv(1), git-clean(1). */
import { FileType } from "../../../Stat.ts"
import { errnoText } from "../../../Errno.ts"
import { baseName } from "../../../utilities/shared/paths.ts"
import { pathOf, untrackedFiles, worktreeChanges, worktreeVersion } from "../changes.ts"
import { exists, lstat, removeTree } from "../files.ts"
import { fatal, GitError, unsupported } from "../GitError.ts"
import { IgnoreRules } from "../ignore.ts"
import { noStat, statFields } from "../IndexFile.ts"
import { parsePathspec, repositoryPath } from "../Pathspec.ts"
import { quotePath } from "../quotePath.ts"
import type { Repository } from "../Repository.ts"
import type { Command } from "../Session.ts"

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
  for (
    const option of [
      "p",
      "i",
      "e",
      "renormalize",
      "refresh",
      "sparse",
      "pathspec-from-file",
      "ignore-removal",
      "no-all",
    ]
  ) {
    if (line.has(option)) unsupported(`git add ${option.length === 1 ? "-" : "--"}${option}`, "name the files")
  }
  const given = [...line.operands, ...line.paths ?? []]
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

export const rm: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("rm", "cached r f|force n|dry-run q|quiet ignore-unmatch", args)
  const given = [...line.operands, ...line.paths ?? []]
  if (given.length === 0) return fatal("No pathspec was given. Which files should I remove?")
  const index = await repository.index()
  const pathspec = parsePathspec(repository, given)
  const matched = index.entries.filter(({ path }) => pathspec.matches(path))
  const unmatched = pathspec.unmatched(index.entries.map(({ path }) => path))
  if (unmatched[0] !== undefined && !line.has("ignore-unmatch")) {
    return fatal(`pathspec '${unmatched[0]}' did not match any files`)
  }
  if (!line.has("r")) {
    for (const text of given) {
      if (/[*?[]/.test(text)) continue
      const path = repositoryPath(repository, text)
      if (!index.has(path) && matched.some((entry) => entry.path.startsWith(path === "" ? "" : `${path}/`))) {
        return fatal(`not removing '${text}' recursively without -r`)
      }
    }
  }
  if (!line.has("f")) {
    const tree = await repository.headTree()
    const head = tree === undefined ? new Map() : await repository.objects.files(tree)
    const [staged, both, local]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
    for (const entry of matched) {
      if (entry.stage !== 0) continue
      const now = await worktreeVersion(repository, entry, index.written)
      const isLocal = now !== undefined && (now.oid !== entry.oid || now.mode !== entry.mode)
      const isStaged = head.get(entry.path)?.oid !== entry.oid
      if (isLocal && isStaged) both.push(entry.path)
      else if (line.has("cached")) continue
      else if (isStaged && now !== undefined) staged.push(entry.path)
      else if (isLocal) local.push(entry.path)
    }
    const complain = (paths: ReadonlyArray<string>, one: string, many: string, hint: string): string =>
      `error: the following ${paths.length === 1 ? `file has ${one}` : `files have ${many}`}:\n${
        paths.map((path) => `    ${path}`).join("\n")
      }\n(${hint})`
    const messages = [
      ...both.length === 0 ? [] : [
        complain(
          both,
          "staged content different from both the\nfile and the HEAD",
          "staged content different from both the\nfile and the HEAD",
          "use -f to force removal",
        ),
      ],
      ...staged.length === 0 ? [] : [
        complain(
          staged,
          "changes staged in the index",
          "changes staged in the index",
          "use --cached to keep the file, or -f to force removal",
        ),
      ],
      ...local.length === 0 ? [] : [
        complain(
          local,
          "local modifications",
          "local modifications",
          "use --cached to keep the file, or -f to force removal",
        ),
      ],
    ]
    if (messages.length > 0) throw new GitError(1, messages.join("\n"))
  }
  for (const path of new Set(matched.map((entry) => entry.path))) {
    if (!line.has("q")) git.printLine(`rm '${path}'`)
    if (line.has("n")) continue
    index.remove(path)
    if (!line.has("cached")) repository.removeFile(path)
    await git.pause()
  }
  if (!line.has("n")) await index.write()
}

export const mv: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("mv", "f|force k n|dry-run v|verbose", args)
  const given = [...line.operands, ...line.paths ?? []]
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

export const clean: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("clean", "f|force d n|dry-run q|quiet x X e|exclude: i|interactive", args)
  if (line.has("i") || line.has("e")) unsupported("git clean -i and -e", "name the files")
  if (!line.has("f") && !line.has("n") && await repository.config.flag("clean.requireforce", true)) {
    return fatal("clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean")
  }
  const pathspec = parsePathspec(repository, [...line.operands, ...line.paths ?? []])
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
