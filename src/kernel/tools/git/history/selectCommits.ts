/** Selects the commits that a command line names. Source: git-rev-list(1). */
import { textToBinary } from "../../../binaryString.ts"
import { Regex } from "../../../regex/Regex.ts"
import { fatal } from "../GitError.ts"
import type { CommandLine, Session } from "../Session.ts"
import type { Repository } from "../repository/Repository.ts"
import type { Commit } from "../repository/objects.ts"
import { parsePathspec, type Pathspec } from "../worktree/Pathspec.ts"
import { commitChanges } from "./commitChanges.ts"
import { parseGitDate } from "./dates.ts"
import { limitOf, refuseLogOptions } from "./logOptions.ts"
import { parseRange, type RevisionRange } from "./revisionRange.ts"
import { peel } from "./revisions.ts"
import { parentsIn, walkCommits } from "./walkCommits.ts"

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

const dateLimit = (git: Session, line: CommandLine, options: ReadonlyArray<string>): number | undefined => {
  const given = line.all.findLast(([name]) => options.includes(name))?.[1]
  if (given === undefined) return undefined
  const text = given.replaceAll(/(\d)\.(?=[a-z])|(?<=[a-z])\.(?=[a-z])/g, "$1 ")
  return parseGitDate(text, git.system)?.seconds ?? fatal(`invalid date: ${given}`)
}

interface CommitSelection {
  readonly line: CommandLine
  readonly pathspec: Pathspec
  readonly commits: AsyncGenerator<Commit>
}

/** The commits that a command line selects. */
export const selectCommits = async (
  git: Session,
  repository: Repository,
  line: CommandLine,
): Promise<CommitSelection> => {
  refuseLogOptions(line)
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
