/**
 * Implements the commands that scripts query: `git rev-parse`, `ls-files`, `ls-tree`, `cat-file` and others. Source:
 * their manuals.
 */
import { readFileIfExists } from "../files.ts"
import { fatal, GitError, unsupported } from "../GitError.ts"
import { compareFiles, indexFiles, pathOf, untrackedFiles, worktreeChanges } from "../changes.ts"
import { IgnoreRules } from "../ignore.ts"
import { modes, subjectOf } from "../objects.ts"
import { parsePathspec, repositoryPath } from "../Pathspec.ts"
import { octal } from "../printPatch.ts"
import { quotePath } from "../quotePath.ts"
import type { Repository } from "../Repository.ts"
import { abbreviate, expandName, peel, requireCommit, requireRevision, resolveRevision } from "../revisions.ts"
import { splitRange } from "../revisionRange.ts"
import type { Command } from "../Session.ts"
import { readStdinBytes } from "../stdin.ts"
import { isAncestor } from "../upstream.ts"
import { mergeBases, walkCommits } from "../walkCommits.ts"
import { formatRef } from "./branch.ts"
import { writeIndexTree } from "./commit.ts"

const parseFlags: Readonly<Record<string, (repository: Repository) => string>> = {
  "--show-toplevel": ({ top }) => top,
  "--git-dir": ({ gitdir, isBare, prefix, system, top }) =>
    isBare
      ? (system.cwd === gitdir ? "." : gitdir)
      : prefix === "" && gitdir === `${top === "/" ? "" : top}/.git`
      ? ".git"
      : gitdir,
  "--absolute-git-dir": ({ gitdir }) => gitdir,
  "--git-common-dir": ({ gitdir, prefix }) => prefix === "" ? ".git" : gitdir,
  "--is-inside-work-tree": ({ isBare, gitdir, system }) => `${!isBare && !`${system.cwd}/`.startsWith(`${gitdir}/`)}`,
  "--is-inside-git-dir": ({ gitdir, system }) => `${`${system.cwd}/`.startsWith(`${gitdir}/`)}`,
  "--is-bare-repository": ({ isBare }) => `${isBare}`,
  "--show-prefix": ({ prefix }) => prefix,
  "--show-cdup": ({ prefix }) => "../".repeat(prefix.split("/").length - 1),
}

export const revParse: Command = async (git, args) => {
  const repository = await git.repository()
  let [isVerify, isQuiet, length, abbrev, symbolic]: [
    boolean,
    boolean,
    number,
    "strict" | "loose" | undefined,
    boolean,
  ] = [false, false, 0, undefined, false]
  let found = 0
  for (const arg of args) {
    const flag = Object.hasOwn(parseFlags, arg) ? parseFlags[arg] : undefined
    const [, short] = /^--short(?:=(\d+))?$/.exec(arg) ?? []
    if (flag !== undefined) git.printLine(flag(repository))
    else if (arg === "--verify") isVerify = true
    else if (arg === "-q" || arg === "--quiet") isQuiet = true
    else if (arg.startsWith("--short")) {
      length = Number(short ?? 7)
      isVerify = true
    } else if (arg.startsWith("--abbrev-ref")) {
      abbrev = arg === "--abbrev-ref" || arg === "--abbrev-ref=loose" ? "loose" : "strict"
    } else if (arg === "--symbolic-full-name") symbolic = true
    else if (arg === "--all") { for (const [, oid] of await repository.refs.list()) git.printLine(oid) }
    else if (arg === "--branches" || arg === "--tags") {
      for (const [, oid] of await repository.refs.list(arg === "--tags" ? "refs/tags/" : "refs/heads/")) {
        git.printLine(oid)
      }
    } else if (arg === "--git-path") unsupported("git rev-parse --git-path", "use --git-dir")
    else if (arg === "--" || arg === "--revs-only" || arg === "--default") git.print(arg === "--" ? "--\n" : "")
    else if (arg.startsWith("--")) {
      if (isVerify) return fatal("Needed a single revision")
      git.printLine(arg)
    } else {
      const range = splitRange(arg)
      if (range !== undefined && !isVerify && await resolveRevision(repository, range[0]) !== undefined) {
        const [one, two] = [await requireRevision(repository, range[0]), await requireRevision(repository, range[2])]
        git.printLine(two)
        if (range[1] === "...") {
          git.printLine(one)
          for (const base of await mergeBases(repository, one, two)) git.printLine(`^${base}`)
        } else git.printLine(`^${one}`)
        found++
        continue
      }
      const isNegative = arg.startsWith("^")
      const oid = await resolveRevision(repository, isNegative ? arg.slice(1) : arg)
      if (oid === undefined) {
        if (isVerify) {
          if (isQuiet) return 1
          return fatal("Needed a single revision")
        }
        git.printLine(arg)
        return fatal(
          `ambiguous argument '${arg}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
        )
      }
      found++
      if (abbrev !== undefined || symbolic) {
        const ref = await expandName(repository, arg)
        const full = ref === "HEAD" ? await repository.refs.target("HEAD") ?? "HEAD" : ref
        if (full !== undefined) git.printLine(symbolic ? full : full.replace(/^refs\/(?:heads|tags|remotes)\//, ""))
        continue
      }
      git.printLine((isNegative ? "^" : "") + (length > 0 ? abbreviate(repository, oid, length) : oid))
    }
  }
  if (isVerify && found !== 1 && !args.some((arg) => Object.hasOwn(parseFlags, arg))) {
    return isQuiet ? 1 : fatal("Needed a single revision")
  }
  return 0
}

export const lsFiles: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "ls-files",
    "c|cached d|deleted m|modified o|others i|ignored s|stage u|unmerged z t exclude-standard error-unmatch full-name x|exclude: directory k|killed v deduplicate no-empty-directory eol format:",
    args,
  )
  for (const option of ["k", "v", "t", "x", "eol", "format"]) {
    if (line.has(option)) unsupported(`git ls-files ${option.length === 1 ? "-" : "--"}${option}`, "leave it out")
  }
  const index = await repository.index()
  const given = [...line.operands, ...line.paths ?? []]
  const pathspec = parsePathspec(repository, given.length === 0 && repository.prefix !== "" ? ["."] : given)
  const end = line.has("z") ? "\0" : "\n"
  const show = (path: string): string => {
    const shown = line.has("full-name") ? path : repository.relative(path)
    return end === "\0" ? shown : quotePath(shown)
  }
  if (line.has("error-unmatch")) {
    const unmatched = pathspec.unmatched(index.entries.map(({ path }) => path))
    if (unmatched[0] !== undefined) {
      throw new GitError(
        1,
        `error: pathspec '${unmatched[0]}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
      )
    }
  }
  if (line.has("o")) {
    // Without --exclude-standard nothing is ignored.
    const options = { whole: !line.has("directory") }
    const plain = line.has("i") ? [] : await untrackedFiles(repository, pathspec, options)
    const ignored = line.has("i") || !line.has("exclude-standard")
      ? await untrackedFiles(repository, pathspec, { ...options, ignored: true })
      : []
    for (const path of [...plain, ...ignored].sort()) git.print(show(path) + end)
  }
  const changes = line.has("m") || line.has("d") ? await worktreeChanges(repository, pathspec) : []
  if (
    line.has("c") || !["d", "m", "o", "s", "u"].some((option) => line.has(option)) || line.has("s") || line.has("u")
  ) {
    const rules = new IgnoreRules(repository)
    for (const { mode, oid, path, stage } of index.entries) {
      if (!pathspec.matches(path) || (line.has("u") && stage === 0)) continue
      if (line.has("i") && !line.has("o") && !await rules.isIgnored(path, false)) continue
      git.print((line.has("s") || line.has("u") ? `${octal(mode)} ${oid} ${stage}\t` : "") + show(path) + end)
      await git.pause()
    }
  }
  for (const change of changes) {
    if (line.has("m")) git.print(show(pathOf(change)) + end)
    if (line.has("d") && change.status === "D") git.print(show(pathOf(change)) + end)
  }
}

export const lsTree: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "ls-tree",
    "r d t l|long z name-only name-status full-name full-tree abbrev:: object-only format:",
    args,
  )
  if (line.has("format") || line.has("t") || line.has("abbrev")) {
    unsupported("this option of git ls-tree", "leave it out")
  }
  const [name, ...rest] = line.operands
  if (name === undefined) throw new GitError(129, "usage: git ls-tree [<options>] <tree-ish> [<path>...]")
  const oid = await resolveRevision(repository, name) ?? fatal(`Not a valid object name ${name}`)
  const root = await peel(repository, oid, "tree")
  // Below the top of the work tree, the folder's own tree is listed.
  const prefix = repository.isBare || rest.length > 0 || line.has("full-tree") ? "" : repository.prefix
  const tree = prefix === "" ? root : await resolveRevision(repository, `${root}:${prefix}`) ?? root
  const paths = [...rest, ...line.paths ?? []].map((path) =>
    repositoryPath(repository, path) + (path.endsWith("/") ? "/" : "")
  )
  const end = line.has("z") ? "\0" : "\n"
  const print = async (mode: number, id: string, path: string): Promise<void> => {
    const type = mode === modes.tree ? "tree" : mode === modes.submodule ? "commit" : "blob"
    const size = !line.has("l")
      ? ""
      : ` ${(type === "blob" ? `${(await repository.objects.blob(id)).length}` : "-").padStart(7)}`
    const shown = line.has("full-name") || repository.isBare ? path : repository.relative(path)
    if (line.has("object-only")) git.print(id + end)
    else {git.print(
        (line.has("name-only") || line.has("name-status") ? "" : `${octal(mode)} ${type} ${id}${size}\t`) +
          (end === "\0" ? shown : quotePath(shown)) + end,
      )}
  }
  const walk = async (id: string, prefix: string): Promise<void> => {
    for (const entry of await repository.objects.tree(id)) {
      const path = prefix + entry.name
      await git.pause()
      const isTree = entry.mode === modes.tree
      const isOn = paths.length === 0
        ? true
        : paths.some((each) =>
          each === path || each === `${path}/` || path.startsWith(each.endsWith("/") ? each : `${each}/`)
        )
      const isAbove = paths.some((each) => each.startsWith(`${path}/`) && each !== path)
      if (isTree && ((line.has("r") && isOn) || isAbove)) await walk(entry.oid, `${path}/`)
      else if (isOn && (!line.has("d") || isTree)) await print(entry.mode, entry.oid, path)
    }
  }
  await walk(tree, tree === root ? "" : prefix)
}

export const catFile: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("cat-file", "p t s e batch:: batch-check:: textconv filters", args)
  if (line.has("batch") || line.has("batch-check") || line.has("textconv") || line.has("filters")) {
    const isCheck = line.has("batch-check")
    if (
      (line.value("batch") ?? "") !== "" || (line.value("batch-check") ?? "") !== "" || line.has("textconv") ||
      line.has("filters")
    ) unsupported("a format of git cat-file", "leave it out")
    const names = new TextDecoder().decode(await readStdinBytes(git.system)).split("\n").filter((name) => name !== "")
    for (const name of names) {
      const oid = await resolveRevision(repository, name)
      const object = oid === undefined ? undefined : await repository.objects.readIfExists(oid)
      if (object === undefined) git.printLine(`${name} missing`)
      else {
        git.printLine(`${oid} ${object.type} ${object.bytes.length}`)
        if (!isCheck) {
          git.out.putBytes(object.bytes)
          git.print("\n")
        }
      }
      await git.pause()
    }
    return
  }
  const [first, second] = line.operands
  const name = second ?? first
  if (name === undefined) throw new GitError(129, "usage: git cat-file (-t | -s | -e | -p | <type>) <object>")
  const oid = await resolveRevision(repository, name)
  if (oid === undefined || await repository.objects.readIfExists(oid) === undefined) {
    return line.has("e") && oid !== undefined ? 1 : fatal(`Not a valid object name ${name}`)
  }
  const { bytes, type } = await repository.objects.read(oid)
  if (line.has("e")) return 0
  if (line.has("t")) return git.printLine(type)
  if (line.has("s")) return git.printLine(`${bytes.length}`)
  if (second !== undefined && (first === "blob" || first === "tree" || first === "commit" || first === "tag")) {
    git.out.putBytes((await repository.objects.read(await peel(repository, oid, first))).bytes)
    return
  }
  if (!line.has("p")) return fatal(`invalid object type "${first}"`)
  if (type !== "tree") return git.out.putBytes(bytes)
  for (const entry of await repository.objects.tree(oid)) {
    const kind = entry.mode === modes.tree ? "tree" : entry.mode === modes.submodule ? "commit" : "blob"
    git.printLine(`${octal(entry.mode)} ${kind} ${entry.oid}\t${quotePath(entry.name)}`)
  }
}

export const hashObject: Command = async (git, args) => {
  const line = git.parse("hash-object", "w t: stdin path: no-filters literally stdin-paths", args)
  if (line.has("path") || line.has("stdin-paths") || line.has("literally")) {
    unsupported("this option of git hash-object", "name the files")
  }
  const type = line.value("t") ?? "blob"
  if (type !== "blob" && type !== "tree" && type !== "commit" && type !== "tag") {
    return fatal(`invalid object type "${type}"`)
  }
  const contents: Array<Uint8Array> = line.has("stdin") ? [await readStdinBytes(git.system)] : []
  for (const path of [...line.operands, ...line.paths ?? []]) {
    contents.push(
      await readFileIfExists(git.system, path) ??
        fatal(`could not open '${path}' for reading: No such file or directory`),
    )
  }
  const repository = line.has("w") ? await git.repository() : undefined
  for (const bytes of contents) {
    const { ObjectStore } = await import("../ObjectStore.ts")
    git.printLine(
      repository !== undefined
        ? await repository.objects.write(type, bytes)
        : await new ObjectStore(git.system, "").hash(type, bytes),
    )
  }
}

export const mergeBase: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("merge-base", "a|all is-ancestor fork-point octopus independent", args)
  if (line.has("fork-point") || line.has("octopus") || line.has("independent")) {
    unsupported("this option of git merge-base", "name two commits")
  }
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

export const symbolicRef: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("symbolic-ref", "q|quiet short d|delete m:", args)
  const [name = "HEAD", target] = line.operands
  if (line.has("d")) unsupported("git symbolic-ref -d", "use git branch -d")
  if (target !== undefined) {
    if (!target.startsWith("refs/")) return fatal(`Refusing to point ${name} outside of refs/`)
    return repository.refs.setSymbolic(name, target)
  }
  const found = await repository.refs.target(name)
  if (found === undefined) return line.has("q") ? 1 : fatal(`ref ${name} is not a symbolic ref`)
  git.printLine(line.has("short") ? found.replace(/^refs\/(?:heads|tags|remotes)\//, "") : found)
}

export const showRef: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "show-ref",
    "head heads tags verify q|quiet s|hash:: d|dereference abbrev:: exclude-existing::",
    args,
  )
  if (line.has("exclude-existing") || line.has("abbrev")) unsupported("this option of git show-ref", "leave it out")
  let count = 0
  const print = async (name: string, oid: string): Promise<void> => {
    count++
    if (line.has("q")) return
    git.printLine(line.has("s") ? oid : `${oid} ${name}`)
    if (line.has("d") && (await repository.objects.read(oid)).type === "tag") {
      git.printLine(`${await peel(repository, oid)} ${name}^{}`)
    }
  }
  if (line.has("verify")) {
    for (const name of line.operands) {
      const oid = await repository.refs.resolve(name)
      if (oid === undefined || (!name.startsWith("refs/") && name !== "HEAD")) {
        return line.has("q") ? 1 : fatal(`'${name}' - not a valid ref`)
      }
      await print(name, oid)
    }
    return 0
  }
  const head = await repository.head()
  if (line.has("head") && head !== undefined) await print("HEAD", head)
  for (const [name, oid] of await repository.refs.list()) {
    if (
      (line.has("heads") || line.has("tags")) && !(line.has("heads") && name.startsWith("refs/heads/")) &&
      !(line.has("tags") && name.startsWith("refs/tags/"))
    ) continue
    if (
      line.operands.length > 0 && !line.operands.some((pattern) => name === pattern || name.endsWith(`/${pattern}`))
    ) continue
    await print(name, oid)
  }
  return count === 0 ? 1 : 0
}

export const forEachRef: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("for-each-ref", "format: count: sort: points-at: merged:: contains::", args)
  if (["points-at", "merged", "contains"].some((option) => line.has(option))) {
    unsupported("this option of git for-each-ref", "use git branch")
  }
  const rows: Array<{ name: string; oid: string; date: number; subject: string; type: string }> = []
  for (const [name, oid] of await repository.refs.list()) {
    if (
      line.operands.length > 0 &&
      !line.operands.some((pattern) =>
        name === pattern || name.startsWith(pattern.endsWith("/") ? pattern : `${pattern}/`)
      )
    ) continue
    const { type } = await repository.objects.read(oid)
    const found = type === "tag"
      ? await repository.objects.tag(oid)
      : await repository.objects.commit(await peel(repository, oid, "commit"))
    rows.push({
      name,
      oid,
      type,
      subject: subjectOf(found.message),
      date: ("tagger" in found ? found.tagger?.seconds : "committer" in found ? found.committer.seconds : 0) ?? 0,
    })
  }
  const sort = line.value("sort")
  const key = sort?.replace(/^-/, "")
  if (key === "committerdate" || key === "creatordate") rows.sort((a, b) => a.date - b.date)
  else if (key !== undefined && key !== "refname") unsupported(`--sort=${sort}`, "use refname or committerdate")
  if (sort?.startsWith("-") === true) rows.reverse()
  const count = Number(line.value("count") ?? Infinity)
  const current = await repository.refs.target("HEAD")
  for (const { name, oid, subject, type } of rows.slice(0, count)) {
    const format = line.value("format")
    git.printLine(
      format === undefined
        ? `${oid} ${type}\t${name}`
        : formatRef(format.replaceAll("%(objecttype)", type), name, oid, subject, name === current ? "*" : " "),
    )
  }
}

export const writeTree: Command = async (git) => {
  const repository = await git.worktree()
  if ((await repository.index()).conflicts.length > 0) return fatal("write-tree: error building trees")
  git.printLine(await writeIndexTree(repository))
}

export const describe: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "describe",
    "tags always long abbrev:: all dirty:: match: exact-match contains first-parent exclude: candidates:",
    args,
  )
  for (const option of ["all", "match", "contains", "first-parent", "exclude", "candidates"]) {
    if (line.has(option)) unsupported(`git describe --${option}`, "use --tags")
  }
  const start = await requireCommit(repository, line.operands[0] ?? "HEAD")
  const tags = new Map<string, string>()
  for (const [name, oid] of await repository.refs.list("refs/tags/")) {
    const { type } = await repository.objects.read(oid)
    if (type === "tag" || line.has("tags")) tags.set(await peel(repository, oid, "commit"), name.slice(10))
  }
  const width = line.value("abbrev") === undefined || line.value("abbrev") === "" ? 7 : Number(line.value("abbrev"))
  let dirty = ""
  if (line.has("dirty")) {
    const all = parsePathspec(repository, [])
    const tree = await repository.headTree()
    const staged = compareFiles(
      tree === undefined ? new Map() : await repository.objects.files(tree),
      indexFiles((await repository.index()).entries),
    )
    if (staged.length > 0 || (await worktreeChanges(repository, all)).length > 0) {
      dirty = line.value("dirty") || "-dirty"
    }
  }
  let depth = 0
  for await (const commit of walkCommits(repository, { include: [start] })) {
    const name = tags.get(commit.oid)
    if (name !== undefined) {
      if (depth === 0 && !line.has("long")) return git.printLine(name + dirty)
      let count = 0
      for await (const _each of walkCommits(repository, { include: [start], exclude: [commit.oid] })) count++
      return git.printLine(
        width === 0 ? name + dirty : `${name}-${count}-g${abbreviate(repository, start, width)}${dirty}`,
      )
    }
    if (line.has("exact-match")) break
    depth++
  }
  if (line.has("always")) return git.printLine((abbreviate(repository, start, width)) + dirty)
  if (line.has("exact-match")) return fatal(`no tag exactly matches '${start}'`)
  const [any] = await repository.refs.list("refs/tags/")
  return fatal(
    any !== undefined && !line.has("tags")
      ? `No annotated tags can describe '${start}'.\nHowever, there were unannotated tags: try --tags.`
      : "No names found, cannot describe anything.",
  )
}

export const checkIgnore: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("check-ignore", "q|quiet v|verbose n|non-matching no-index stdin z", args)
  if (line.has("v") || line.has("n") || line.has("stdin")) {
    unsupported("this option of git check-ignore", "name the files")
  }
  const rules = new IgnoreRules(repository)
  const index = await repository.index()
  let count = 0
  for (const given of [...line.operands, ...line.paths ?? []]) {
    const path = repositoryPath(repository, given)
    const stat = git.system.stat(repository.absolute(path))
    if (index.has(path) && !line.has("no-index")) continue
    if (!await rules.isIgnored(path, typeof stat === "object" && stat.type === 3)) continue
    count++
    if (!line.has("q")) git.printLine(given)
  }
  return count === 0 ? 1 : 0
}

export const updateRef: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("update-ref", "d m: no-deref stdin", args)
  const [name = "", value, old] = line.operands
  if (line.has("stdin") || line.has("no-deref")) unsupported("this option of git update-ref", "name one reference")
  const ref = name === "HEAD" ? await repository.refs.target("HEAD") ?? "HEAD" : name
  if (line.has("d")) return repository.refs.delete(ref)
  if (!ref.startsWith("refs/") && ref !== "HEAD") {
    return fatal(`update_ref failed for ref '${name}': refusing to update ref with bad name '${name}'`)
  }
  const oid = await requireRevision(repository, value ?? "")
  const now = await repository.refs.resolve(ref)
  if (old !== undefined && now !== await resolveRevision(repository, old)) {
    return fatal(`update_ref failed for ref '${name}': cannot lock ref '${name}': is at ${now} but expected ${old}`)
  }
  await repository.refs.update(ref, oid)
}

export const version = (): string => "git version 2.39.5 (sluice)"
