/** `git diff`. Source: git-diff(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import {
  compareFiles,
  type FileChange,
  type FileVersion,
  indexFiles,
  worktreeChanges,
  worktreeVersion,
} from "../diff/changes.ts"
import { diffSpec, prepareChanges, printChanges, readDiffOptions } from "../diff/diffOptions.ts"
import { isPathThere, splitRange } from "../history/revisionRange.ts"
import { peel, requireCommit, requireRevision, resolveRevision } from "../history/revisions.ts"
import { mergeBases } from "../history/walkCommits.ts"
import type { Repository } from "../repository/Repository.ts"
import { parsePathspec, type Pathspec } from "../worktree/Pathspec.ts"
import { stagedChanges } from "../worktree/readStatus.ts"

/** The changes from a tree to the files of the work tree that the index knows. */
const treeToWorktree = async (
  repository: Repository,
  tree: string,
  pathspec: Pathspec,
): Promise<ReadonlyArray<FileChange>> => {
  const index = await repository.index()
  const now = new Map<string, FileVersion>()
  for (const entry of index.entries) {
    if (!pathspec.matches(entry.path)) continue
    const version = await worktreeVersion(repository, entry, index.written)
    if (version !== undefined) now.set(entry.path, version)
  }
  const before = new Map([...await repository.objects.files(tree)].filter(([path]) => pathspec.matches(path)))
  return compareFiles(before, now)
}

const between = async (
  repository: Repository,
  from: string,
  to: string,
  pathspec: Pathspec,
): Promise<ReadonlyArray<FileChange>> => {
  const [one, two] = [
    await repository.objects.files(await peel(repository, from, "tree")),
    await repository.objects.files(await peel(repository, to, "tree")),
  ]
  return compareFiles(one, two).filter(({ new: after, old }) => pathspec.matches((after ?? old)?.path ?? ""))
}

export const diff: Command = async (git, args) => {
  const line = git.parse("diff", `${diffSpec} cached|staged merge-base no-index`, args)
  line.refuse("no-index", "use diff -u")
  const repository = await git.repository()
  const options = await readDiffOptions(git, repository, line, "patch")
  const revisions: Array<string> = []
  const operands = [...line.operands]
  while (operands[0] !== undefined) {
    const [operand] = operands
    const range = splitRange(operand)
    const isRevision = range !== undefined
      ? await resolveRevision(repository, range[0]) !== undefined
      : await resolveRevision(repository, operand) !== undefined
    if (!isRevision) break
    revisions.push(operand)
    operands.shift()
  }
  const missing = operands.find((operand) => line.paths !== undefined || !isPathThere(repository, operand))
  if (missing !== undefined) await requireRevision(repository, missing)
  const pathspec = parsePathspec(repository, [...operands, ...line.paths ?? []])
  const [one, two] = revisions
  const range = one === undefined ? undefined : splitRange(one)
  let changes: ReadonlyArray<FileChange>
  if (revisions.length > 2) return fatal("more than two revisions: git of the sandbox compares two")
  if (range !== undefined && one !== undefined) {
    const [from, to] = [await requireRevision(repository, range[0]), await requireRevision(repository, range[2])]
    const start = range[1] === "..."
      ? (await mergeBases(
        repository,
        await requireCommit(repository, range[0]),
        await requireCommit(repository, range[2]),
      ))[0]
      : from
    changes = await between(repository, start ?? fatal(`${one}: no merge base`), to, pathspec)
  } else if (one !== undefined && two !== undefined) {
    const [from, to] = [await requireRevision(repository, one), await requireRevision(repository, two)]
    changes = await between(repository, from, to, pathspec)
  } else if (line.has("cached")) {
    if (one === undefined) {
      const conflicts = (await repository.index()).conflicts.filter((path) => pathspec.matches(path))
      const unmerged = conflicts.map((path): FileChange => ({
        status: "U",
        old: undefined,
        new: { path, mode: 0, oid: undefined },
      }))
      changes = [...await stagedChanges(repository, pathspec), ...unmerged]
    } else {
      const before = await repository.objects.files(
        await peel(repository, await requireRevision(repository, one), "tree"),
      )
      const after = indexFiles((await repository.index()).entries)
      changes = compareFiles(before, after).filter(({ new: next, old }) => pathspec.matches((next ?? old)?.path ?? ""))
    }
  } else if (one !== undefined) {
    const oid = await requireRevision(repository, one)
    const base = line.has("merge-base")
      ? (await mergeBases(repository, await requireCommit(repository, one), await repository.head() ?? ""))[0] ?? oid
      : oid
    changes = await treeToWorktree(repository, await peel(repository, base, "tree"), pathspec)
  } else changes = await worktreeChanges(await git.worktree(), pathspec)
  const prepared = await prepareChanges(repository, changes, options)
  await printChanges(git, repository, prepared, options)
  return (line.has("exit-code") || options.quiet) && prepared.length > 0 ? 1 : 0
}
