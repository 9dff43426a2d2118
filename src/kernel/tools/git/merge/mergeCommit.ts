/** Merges a commit into HEAD. Source: git-merge(1). */
import { fatal, GitError } from "../GitError.ts"
import type { CommandLine, Session } from "../Session.ts"
import { detectRenames } from "../diff/changes.ts"
import { countLines } from "../diff/diffOptions.ts"
import { printStat, summaryLines } from "../diff/printStat.ts"
import { changesBetween } from "../history/commitChanges.ts"
import { abbreviate, expandName } from "../history/revisions.ts"
import { mergeBases } from "../history/walkCommits.ts"
import type { Repository } from "../repository/Repository.ts"
import { replaceFile } from "../repository/files.ts"
import { applyTree, filesOf, mergeWords } from "../worktree/applyTree.ts"
import { cleanMessage } from "../worktree/commitMessage.ts"
import { conflictLines, conflictStyle, requireCleanIndex } from "./mergeState.ts"
import type { MergeLabels } from "./mergeTexts.ts"
import { type FileMap, type MergedTree, mergeTrees } from "./mergeTrees.ts"

/** The base of a merge; several common ancestors are merged first. */
const virtualBase = async (repository: Repository, bases: ReadonlyArray<string>): Promise<FileMap> => {
  const [first, ...rest] = bases
  let files = await filesOf(repository, first)
  let last = first
  for (const oid of rest) {
    const inner = last === undefined ? [] : await mergeBases(repository, last, oid)
    const labels = {
      ours: "Temporary merge branch 1",
      base: "merged common ancestors",
      theirs: "Temporary merge branch 2",
      style: "merge",
    } as const
    files =
      (await mergeTrees(repository, await filesOf(repository, inner[0]), files, await filesOf(repository, oid), labels))
        .files
    last = oid
  }
  return files
}

const printMergeStat = async (git: Session, repository: Repository, from: string, to: string): Promise<void> => {
  const changes = await detectRenames(repository, await changesBetween(repository, from, to))
  const stats = await countLines(git, repository, changes, { asText: false, keyOf: undefined })
  printStat(git, stats, 80)
  git.print(summaryLines(changes))
}

const tagMessage = (kind: string, name: string, into: string | undefined): string =>
  `Merge ${kind} '${name}'${into === undefined || into === "main" || into === "master" ? "" : ` into ${into}`}`

/** The message of a merge. */
const defaultMessage = async (repository: Repository, name: string): Promise<string> => {
  const branch = await repository.branch() ?? "HEAD"
  const ref = await expandName(repository, name)
  if (ref?.startsWith("refs/heads/") === true) return tagMessage("branch", ref.slice(11), branch)
  if (ref?.startsWith("refs/remotes/") === true) return tagMessage("remote-tracking branch", ref.slice(13), branch)
  if (ref?.startsWith("refs/tags/") === true) return tagMessage("tag", ref.slice(10), branch)
  return tagMessage("commit", name, branch)
}

const stoppedText = "Automatic merge went well; stopped before committing as requested"
const conflictText = "Automatic merge failed; fix conflicts and then commit the result."

/** Ends `--squash`: the message waits for the next commit. */
const squash = async (
  git: Session,
  { gitdir, system }: Repository,
  { conflicts }: MergedTree,
  message: string,
): Promise<number> => {
  await replaceFile(system, `${gitdir}/SQUASH_MSG`, message)
  git.printLine("Squash commit -- not updating HEAD")
  if (conflicts.length === 0) git.warn(stoppedText)
  else git.printLine(conflictText)
  return conflicts.length === 0 ? 0 : 1
}

/** Leaves a merge to the user: its conflicts, or its commit. */
const stop = async (
  git: Session,
  { gitdir, system }: Repository,
  { conflicts }: MergedTree,
  { message, mode, oid }: { readonly oid: string; readonly message: string; readonly mode: string },
): Promise<number> => {
  await replaceFile(system, `${gitdir}/MERGE_HEAD`, `${oid}\n`)
  await replaceFile(system, `${gitdir}/MERGE_MODE`, mode)
  const listed = conflicts.length === 0 ? "" : `\n# Conflicts:\n${conflictLines(conflicts)}`
  await replaceFile(system, `${gitdir}/MERGE_MSG`, message + listed)
  if (conflicts.length === 0) git.warn(stoppedText)
  else git.printLine(conflictText)
  return conflicts.length === 0 ? 0 : 1
}

/** Merges a commit into HEAD. Returns the exit code. */
export const mergeCommit = async (
  git: Session,
  repository: Repository,
  line: CommandLine,
  name: string,
  oid: string,
  given?: string,
): Promise<number> => {
  const head = await repository.head()
  if (head === undefined) {
    await applyTree(repository, new Map(), await filesOf(repository, oid), mergeWords)
    await repository.moveHead(oid, `merge ${name}: Fast-forward`)
    return 0
  }
  const bases = await mergeBases(repository, head, oid)
  if (bases.includes(oid)) {
    git.printLine("Already up to date.")
    return 0
  }
  const quiet = line.has("q")
  if (bases.includes(head) && !line.has("no-ff")) {
    if (!quiet) git.printLine(`Updating ${abbreviate(repository, head)}..${abbreviate(repository, oid)}`)
    await applyTree(repository, await filesOf(repository, head), await filesOf(repository, oid), mergeWords)
    if (!quiet) git.printLine("Fast-forward")
    if (!line.has("squash")) await repository.moveHead(oid, `merge ${name}: Fast-forward`)
    else if (!quiet) git.printLine("Squash commit -- not updating HEAD")
    if (!quiet && !line.has("n")) await printMergeStat(git, repository, head, oid)
    return 0
  }
  if (line.has("ff-only")) {
    throw new GitError(
      128,
      "hint: Diverging branches can't be fast-forwarded, you need to either:\nhint:\nhint: \tgit merge --no-ff\nhint:\nhint: or:\nhint:\nhint: \tgit rebase\nhint:\n" +
        'hint: Disable this message with "git config advice.diverging false"\nfatal: Not possible to fast-forward, aborting.',
    )
  }
  if (bases.length === 0 && !line.has("allow-unrelated-histories")) {
    return fatal("refusing to merge unrelated histories")
  }
  await requireCleanIndex(repository, "Merging")
  const favor = line.values("X").findLast((text) => text === "ours" || text === "theirs")
  const labels: MergeLabels = {
    ours: "HEAD",
    base: bases.length > 1 ? "merged common ancestors" : abbreviate(repository, bases[0] ?? "0".repeat(40)),
    theirs: name,
    style: await conflictStyle(repository),
    favor: favor === "ours" || favor === "theirs" ? favor : undefined,
  }
  const ours = await filesOf(repository, head)
  const isOurs = line.value("s") === "ours"
  const merged: MergedTree = isOurs
    ? { files: new Map(ours), conflicts: [], messages: [] }
    : await mergeTrees(repository, await virtualBase(repository, bases), ours, await filesOf(repository, oid), labels)
  const message = line.has("m")
    ? line.values("m").map((text) => `${text}\n`).join("\n")
    : `${given ?? await defaultMessage(repository, name)}\n`
  await applyTree(repository, ours, merged.files, mergeWords, { conflicts: merged.conflicts }).catch((cause) => {
    throw cause instanceof GitError ? new GitError(2, `${cause.message}\nMerge with strategy ort failed.`) : cause
  })
  for (const text of merged.messages) git.printLine(text)
  if (line.has("squash")) return squash(git, repository, merged, message)
  if (merged.conflicts.length > 0 || line.has("no-commit")) {
    await repository.refs.update("ORIG_HEAD", head)
    return stop(git, repository, merged, { oid, message, mode: line.has("no-ff") ? "no-ff" : "" })
  }
  const [author, committer] = [await repository.signature("AUTHOR"), await repository.signature("COMMITTER")]
  const made = {
    tree: await repository.objects.writeFiles(merged.files),
    parents: [head, oid],
    author,
    committer,
    message: cleanMessage(message, false),
  }
  const commit = await repository.objects.writeCommit(made)
  await repository.moveHead(commit, `merge ${name}: Merge made by the '${isOurs ? "ours" : "ort"}' strategy.`)
  if (!quiet) {
    git.printLine(`Merge made by the '${isOurs ? "ours" : "ort"}' strategy.`)
    if (!line.has("n")) await printMergeStat(git, repository, head, commit)
  }
  return 0
}
