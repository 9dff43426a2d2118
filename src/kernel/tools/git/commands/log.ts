/**
 * Implements `git log`, `git show`, `git reflog`, `git rev-list` and `git shortlog`. Source: git-log(1), git-show(1).
 */
import { textToBinary } from "../../../binaryString.ts"
import { Regex } from "../../../regex/Regex.ts"
import { parsePathspec, type Pathspec } from "../Pathspec.ts"
import { compareFiles, type FileChange } from "../changes.ts"
import { diffSpec, prepareChanges, printChanges, readDiffOptions } from "../diffOptions.ts"
import { parseGitDate } from "../dates.ts"
import type { DiffOptions } from "../diffTypes.ts"
import { fatal, unsupported } from "../GitError.ts"
import { type Commit, subjectOf } from "../objects.ts"
import { formatPretty, isNamedFormat, parsePretty, type PrettyOptions, readDecorations } from "../prettyFormat.ts"
import type { Repository } from "../Repository.ts"
import { peel, resolveRevision } from "../revisions.ts"
import { isPathThere, parseRange, type RevisionRange } from "../revisionRange.ts"
import type { Command, CommandLine, Session } from "../Session.ts"
import { parentsIn, walkCommits } from "../walkCommits.ts"

const logSpec =
  `${diffSpec} n|max-count: skip: oneline format: pretty:: date: all branches tags remotes author: committer: ` +
  "grep: i|regexp-ignore-case E|extended-regexp F|fixed-strings since: after: until: before: reverse no-merges merges " +
  "first-parent follow decorate:: no-decorate abbrev-commit no-abbrev-commit graph topo-order date-order " +
  "author-date-order m c cc no-walk count left-right cherry-pick L: walk-reflogs g invert-grep simplify-by-decoration " +
  "show-signature no-notes full-history source"

const refusals: Readonly<Record<string, string>> = {
  graph: "leave it out: commits are listed in the same order",
  c: "use -m or --first-parent",
  m: "use --first-parent",
  L: "use git blame or -S",
  "left-right": "count A..B and B..A",
  "cherry-pick": "leave it out",
  "topo-order": "leave it out",
  "author-date-order": "leave it out",
  "simplify-by-decoration": "use --decorate",
  "full-history": "leave it out",
  source: "use --decorate",
  follow: "name both paths of the file",
}

export const readPretty = async (repository: Repository, line: CommandLine): Promise<PrettyOptions> => {
  const given = line.all.findLast(([name]) => ["oneline", "format", "pretty"].includes(name))
  const pretty = given === undefined
    ? parsePretty(await repository.config.get("format.pretty") ?? "")
    : given[0] === "oneline"
    ? { format: "oneline", isTerminated: true }
    : parsePretty(given[1])
  const decorate = line.all.findLast(([name]) => name === "decorate" || name === "no-decorate")
  const needs = /%[+\- ]?[dD]/.test(pretty.format)
  const isWanted = decorate?.[0] === "decorate" && decorate[1] !== "no" && decorate[1] !== "auto"
  return {
    ...pretty,
    date: line.value("date") ?? await repository.config.get("log.date") ?? "default",
    abbreviate: (line.has("oneline") || line.has("abbrev-commit")) && !line.has("no-abbrev-commit"),
    decorations: isWanted || needs ? await readDecorations(repository, decorate?.[1] === "full") : undefined,
  }
}

/** The changes of a commit against its first parent. */
export const commitChanges = async (
  repository: Repository,
  commit: Commit,
  pathspec: Pathspec,
  parent?: string,
): Promise<ReadonlyArray<FileChange>> => {
  const known = parent === undefined ? (await parentsIn(repository))(commit)[0] : parent
  const before = known === undefined
    ? new Map()
    : await repository.objects.files((await repository.objects.commit(known)).tree)
  const changes = compareFiles(before, await repository.objects.files(commit.tree))
  return pathspec.isEmpty
    ? changes
    : changes.filter(({ new: after, old }) => pathspec.matches((after ?? old)?.path ?? ""))
}

/** The parents that remain with a limit of paths: for a merge, only the first one with the same files. */
const simplifiedParents =
  (repository: Repository, pathspec: Pathspec, shown: Map<string, boolean>) =>
  async (commit: Commit): Promise<ReadonlyArray<string>> => {
    const parents = (await parentsIn(repository))(commit)
    if (parents.length === 0) {
      shown.set(commit.oid, (await commitChanges(repository, commit, pathspec)).length > 0)
      return parents
    }
    for (const parent of parents) {
      if ((await commitChanges(repository, commit, pathspec, parent)).length > 0) continue
      shown.set(commit.oid, false)
      return [parent]
    }
    shown.set(commit.oid, true)
    return parents
  }

type TextTest = (text: string) => Promise<boolean>

/** Tests the lines of a text with patterns of the kernel's engine, which takes linear time. */
const textTest = (git: Session, line: CommandLine, option: string): TextTest => {
  const patterns = line.values(option)
  if (patterns.length === 0) return () => Promise.resolve(true)
  const regex = new Regex(patterns.map(textToBinary), {
    fixed: line.has("F"),
    extended: line.has("E"),
    ignoreCase: line.has("i"),
  })
  return async (text) => {
    for (const each of text.split("\n")) if (await regex.test(git.system, textToBinary(each))) return true
    return false
  }
}

export interface LogEntryPrinter {
  readonly print: (
    commit: Commit,
    changes: ReadonlyArray<FileChange> | undefined,
    reflog?: PrettyOptions["reflog"],
  ) => Promise<void>
}

/** Prints commits, with separators as git places them. */
export const entryPrinter = (
  git: Session,
  repository: Repository,
  pretty: PrettyOptions,
  diff: DiffOptions,
): LogEntryPrinter => {
  let isFirst = true
  const isMedium = isNamedFormat(pretty.format) && !pretty.isTerminated
  return {
    print: async (commit, changes, reflog) => {
      if (!isFirst && !pretty.isTerminated) git.print("\n")
      isFirst = false
      const text = formatPretty(repository, commit, { ...pretty, reflog })
      git.print(text)
      const isEmpty = text === "" && !isNamedFormat(pretty.format)
      if (isMedium || pretty.isTerminated) { if (!isEmpty || pretty.isTerminated) git.print("\n") }
      const hasDiff = changes !== undefined && changes.length > 0 && !diff.none && diff.formats.size > 0
      if (!hasDiff) {
        if (!isMedium && !pretty.isTerminated) return
        return
      }
      if (!isMedium && !pretty.isTerminated) git.print("\n")
      if (isMedium || (!isNamedFormat(pretty.format) && !isEmpty)) {
        // Git puts a line between the message and the changes, except in one-line formats.
        git.print(diff.formats.has("patch") && diff.formats.size > 1 ? "---\n" : "\n")
      }
      await printChanges(git, repository, changes, diff)
    },
  }
}

const startingPoints = async (
  repository: Repository,
  line: CommandLine,
  range: RevisionRange,
): Promise<ReadonlyArray<string>> => {
  const include = [...range.include]
  const prefixes = [["all", "refs/"], ["branches", "refs/heads/"], ["tags", "refs/tags/"], [
    "remotes",
    "refs/remotes/",
  ]] as const
  let isGiven = range.isGiven
  for (const [option, prefix] of prefixes) {
    if (!line.has(option)) continue
    isGiven = true
    for (const [, oid] of await repository.refs.list(prefix)) {
      const target = await peel(repository, oid)
      if ((await repository.objects.read(target)).type === "commit") include.push(target)
    }
    const head = option === "all" ? await repository.head() : undefined
    if (head !== undefined) include.push(head)
  }
  if (isGiven) return include
  const head = await repository.head()
  if (head !== undefined) return [head]
  return fatal(`your current branch '${await repository.branch() ?? "HEAD"}' does not have any commits yet`)
}

const limitOf = (line: CommandLine, option: string): number => {
  const text = line.value(option)
  if (text === undefined) return Infinity
  return /^-?\d+$/.test(text) ? (Number(text) < 0 ? Infinity : Number(text)) : fatal(`'${text}': not an integer`)
}

const dateLimit = (git: Session, line: CommandLine, options: ReadonlyArray<string>): number | undefined => {
  const given = line.all.findLast(([name]) => options.includes(name))?.[1]
  if (given === undefined) return undefined
  const text = given.replaceAll(/(\d)\.(?=[a-z])|(?<=[a-z])\.(?=[a-z])/g, "$1 ")
  return parseGitDate(text, git.system)?.seconds ?? fatal(`invalid date: ${given}`)
}

interface Selection {
  readonly line: CommandLine
  readonly pathspec: Pathspec
  readonly commits: AsyncGenerator<Commit>
}

/** The commits that a command line selects. */
const select = async (git: Session, repository: Repository, line: CommandLine): Promise<Selection> => {
  for (const [option, instead] of Object.entries(refusals)) {
    if (line.has(option)) unsupported(`the option ${option.length === 1 ? "-" : "--"}${option}`, instead)
  }
  const range = await parseRange(repository, line)
  const pathspec = repository.isBare ? parsePathspec(repository, []) : parsePathspec(repository, range.paths)
  const include = await startingPoints(repository, line, range)
  const shown = new Map<string, boolean>()
  const walk = walkCommits(repository, {
    include,
    exclude: range.exclude,
    firstParent: line.has("first-parent"),
    ...pathspec.isEmpty ? {} : { parentsOf: simplifiedParents(repository, pathspec, shown) },
  })
  const [since, until] = [dateLimit(git, line, ["since", "after"]), dateLimit(git, line, ["until", "before"])]
  const [author, committer, grep] = [
    textTest(git, line, "author"),
    textTest(git, line, "committer"),
    textTest(git, line, "grep"),
  ]
  const person = (who: Commit["author"]): string => `${who.name} <${who.email}>`
  let [skip, left] = [line.has("skip") ? limitOf(line, "skip") : 0, limitOf(line, "n")]
  const filtered = async function* (): AsyncGenerator<Commit> {
    if (left === 0) return
    for await (const commit of walk) {
      if (shown.get(commit.oid) === false) continue
      if (since !== undefined && commit.committer.seconds < since) continue
      if (until !== undefined && commit.committer.seconds > until) continue
      if (line.has("no-merges") && commit.parents.length > 1) continue
      if (line.has("merges") && commit.parents.length < 2) continue
      if (!await author(person(commit.author)) || !await committer(person(commit.committer))) continue
      if (await grep(commit.message) === line.has("invert-grep")) continue
      if (skip-- > 0) continue
      yield commit
      if (--left <= 0) return
    }
  }
  const commits = async function* (): AsyncGenerator<Commit> {
    if (!line.has("reverse")) return yield* filtered()
    const all: Array<Commit> = []
    for await (const commit of filtered()) all.push(commit)
    yield* all.reverse()
  }
  return { line, pathspec, commits: commits() }
}

export const log: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("log", logSpec, args, true)
  if (line.has("g") || line.has("walk-reflogs")) {
    return reflog(git, [
      "show",
      ...args.filter((arg) => arg !== "-g" && arg !== "--walk-reflogs"),
    ])
  }
  const { commits, pathspec } = await select(git, repository, line)
  const diff = await readDiffOptions(git, repository, line, undefined)
  const printer = entryPrinter(git, repository, await readPretty(repository, line), diff)
  const pickaxe = diff.pickaxe !== undefined || diff.filter !== undefined
  for await (const commit of commits) {
    const isShown = (diff.formats.size > 0 || pickaxe) && (commit.parents.length < 2 || line.has("first-parent"))
    const changes = isShown
      ? await prepareChanges(repository, await commitChanges(repository, commit, pathspec), diff)
      : undefined
    if (pickaxe && (changes === undefined || changes.length === 0)) continue
    await printer.print(commit, changes)
    await git.pause()
  }
}

export const revList: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("rev-list", logSpec, args, true)
  const { commits } = await select(git, repository, line)
  let count = 0
  for await (const commit of commits) {
    count++
    if (!line.has("count")) git.printLine(commit.oid)
    await git.pause()
  }
  if (line.has("count")) git.printLine(`${count}`)
}

export const shortlog: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("shortlog", "s|summary n|numbered e|email all no-merges since: after: until: before:", args)
  const named = {
    ...line,
    has: (option: string) => option !== "n" && option !== "s" && option !== "e" && line.has(option),
    value: (option: string) => option === "n" ? undefined : line.value(option),
  }
  const { commits } = await select(git, repository, named)
  const byAuthor = new Map<string, Array<string>>()
  for await (const { author, message } of commits) {
    const name = line.has("e") ? `${author.name} <${author.email}>` : author.name
    byAuthor.set(name, [subjectOf(message), ...byAuthor.get(name) ?? []])
  }
  const authors = [...byAuthor].sort(([a, one], [b, two]) =>
    (line.has("n") ? two.length - one.length : 0) || (a < b ? -1 : 1)
  )
  for (const [name, subjects] of authors) {
    if (line.has("s")) git.printLine(`${`${subjects.length}`.padStart(6)}\t${name}`)
    else git.print(`${name} (${subjects.length}):\n${subjects.map((subject) => `      ${subject}\n`).join("")}\n`)
  }
}

const showTree = async (git: Session, repository: Repository, name: string, oid: string): Promise<void> => {
  git.print(`tree ${name}\n\n`)
  for (const entry of await repository.objects.tree(oid)) {
    git.printLine(entry.name + (entry.mode === 0o40000 ? "/" : ""))
  }
}

export const show: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("show", logSpec, args, true)
  for (const [option, instead] of Object.entries(refusals)) {
    if (line.has(option)) unsupported(`the option --${option}`, instead)
  }
  const operands = [...line.operands]
  const revisions: Array<string> = []
  while (
    operands[0] !== undefined &&
    !(line.paths === undefined && await resolveRevision(repository, operands[0]) === undefined &&
      isPathThere(repository, operands[0]))
  ) {
    revisions.push(operands.shift() ?? "")
  }
  const pathspec = parsePathspec(repository, [...operands, ...line.paths ?? []])
  const diff = await readDiffOptions(git, repository, line, "patch")
  const pretty = await readPretty(repository, line)
  const printer = entryPrinter(git, repository, pretty, diff)
  let isFirst = true
  for (const name of revisions.length === 0 ? ["HEAD"] : revisions) {
    if (name.includes("..")) {
      const range = await parseRange(repository, { ...line, operands: [name], paths: [] })
      for await (const commit of walkCommits(repository, range)) {
        await printer.print(
          commit,
          commit.parents.length > 1
            ? undefined
            : await prepareChanges(repository, await commitChanges(repository, commit, pathspec), diff),
        )
      }
      continue
    }
    let oid = await resolveRevision(repository, name)
    if (oid === undefined) {
      return fatal(
        revisions.length === 0
          ? `your current branch '${await repository.branch() ?? "HEAD"}' does not have any commits yet`
          : `ambiguous argument '${name}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
      )
    }
    const { bytes, type } = await repository.objects.read(oid)
    if (type === "blob") {
      git.out.putBytes(bytes)
      continue
    }
    if (type === "tree") {
      if (!isFirst) git.print("\n")
      await showTree(git, repository, name, oid)
      isFirst = false
      continue
    }
    if (type === "tag") {
      const tag = await repository.objects.tag(oid)
      git.print(`tag ${tag.name}\n`)
      if (tag.tagger !== undefined) {
        const [, date = ""] = /Date: {3}(.*)/.exec(
          formatPretty(repository, { ...emptyCommit, author: tag.tagger, committer: tag.tagger }, {
            ...pretty,
            format: "medium",
            decorations: undefined,
          }),
        ) ?? []
        git.print(`Tagger: ${tag.tagger.name} <${tag.tagger.email}>\nDate:   ${date}\n`)
      }
      git.print(`\n${tag.message}\n`)
      oid = await peel(repository, oid, "commit")
    }
    const commit = await repository.objects.commit(oid)
    const isMerge = commit.parents.length > 1 && !line.has("first-parent")
    if (isMerge && diff.formats.has("patch") && !diff.none) {
      // A merge without changes of its own has no combined diff.
      const own = await mergeOnly(repository, commit, pathspec)
      if (own.length > 0) {
        git.warn(
          `git: the combined diff of a merge is not supported; use git show --first-parent (own changes: ${
            own.join(", ")
          })`,
        )
      }
    }
    const changes = isMerge && !diff.formats.has("patch") || !isMerge
      ? await prepareChanges(repository, await commitChanges(repository, commit, pathspec), diff)
      : undefined
    await printer.print(commit, changes)
    if (isMerge && changes === undefined && !diff.none && isNamedFormat(pretty.format) && !pretty.isTerminated) {
      git.print("\n")
    }
  }
}

const nobody = { name: "", email: "", seconds: 0, zone: "+0000" }
const emptyCommit: Commit = { oid: "", tree: "", parents: [], author: nobody, committer: nobody, message: "" }

/** Files of a merge that differ from those of every parent. */
const mergeOnly = async (
  repository: Repository,
  commit: Commit,
  pathspec: Pathspec,
): Promise<ReadonlyArray<string>> => {
  const lists: Array<ReadonlySet<string>> = []
  for (const parent of commit.parents) {
    lists.push(
      new Set(
        (await commitChanges(repository, commit, pathspec, parent)).map(({ new: after, old }) =>
          (after ?? old)?.path ?? ""
        ),
      ),
    )
  }
  return [...lists[0] ?? []].filter((path) => lists.every((list) => list.has(path)))
}

export const reflog: Command = async (git, args) => {
  const repository = await git.repository()
  const isShow = args[0] === "show"
  if (["expire", "delete", "exists"].includes(args[0] ?? "")) {
    unsupported(`git reflog ${args[0]}`, "nothing is ever removed from logs")
  }
  const line = git.parse("reflog", logSpec, isShow ? args.slice(1) : args, true)
  const name = line.operands[0] ?? "HEAD"
  const ref = await repository.refs.expand(name) ??
    fatal(`ambiguous argument '${name}': unknown revision or path not in the working tree.`)
  const given = line.has("format") || line.has("pretty") || line.has("oneline")
  const pretty = given
    ? await readPretty(repository, line)
    : { ...await readPretty(repository, line), format: "oneline", isTerminated: true, abbreviate: true }
  const diff = await readDiffOptions(git, repository, line, undefined)
  const printer = entryPrinter(git, repository, pretty, diff)
  const limit = limitOf(line, "n")
  let at = 0
  for (const entry of await repository.refs.logOf(ref)) {
    if (at >= limit) return
    const selector = `${name}@{${at++}}`
    if (await repository.objects.readIfExists(entry.oid) === undefined) continue
    await printer.print(await repository.objects.commit(entry.oid), undefined, { selector, message: entry.message })
    await git.pause()
  }
}
