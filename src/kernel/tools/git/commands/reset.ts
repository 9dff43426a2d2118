/** `git reset`. Source: git-reset(1). */
import { fatal } from "../GitError.ts"
import type { Command, Session } from "../Session.ts"
import { pathOf, worktreeChanges } from "../diff/changes.ts"
import { describeCommit, requireCommit, requireRevision, resolveRevision } from "../history/revisions.ts"
import { quotePath } from "../quotePath.ts"
import { noStat } from "../repository/IndexFile.ts"
import type { Repository } from "../repository/Repository.ts"
import { exists } from "../repository/files.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"
import { overwriteTree } from "../worktree/applyTree.ts"
import { pendingOperation, removeState } from "../worktree/pendingOperation.ts"

const resetPaths = async (
  git: Session,
  repository: Repository,
  tree: string | undefined,
  given: ReadonlyArray<string>,
  quiet: boolean,
): Promise<void> => {
  const index = await repository.index()
  const pathspec = parsePathspec(repository, given)
  const files = tree === undefined ? new Map() : await repository.objects.files(tree)
  for (const path of new Set([...files.keys(), ...index.entries.map((entry) => entry.path)])) {
    if (!pathspec.matches(path)) continue
    const entry = files.get(path)
    const known = index.get(path)
    if (entry === undefined) index.remove(path)
    else if (known?.oid !== entry.oid || known?.mode !== entry.mode) {
      index.add({ path, stage: 0, mode: entry.mode, oid: entry.oid, ...noStat, isIntent: false })
    }
  }
  await index.write()
  if (quiet) return
  const changes = await worktreeChanges(repository, parsePathspec(repository, []))
  if (changes.length > 0) {
    git.print(
      `Unstaged changes after reset:\n${
        changes.map((change) => `${change.status}\t${quotePath(repository.relative(pathOf(change)))}\n`).join("")
      }`,
    )
  }
}

export const reset: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("reset", "soft mixed hard merge keep q|quiet p|patch N|intent-to-add no-refresh refresh", args)
  line.refuse("merge keep p N", "use --soft, --mixed or --hard")
  const operands = [...line.operands]
  const [first] = operands
  const head = await repository.head()
  const isRevision = first !== undefined && (await resolveRevision(repository, first) !== undefined)
  if (
    first !== undefined && !isRevision && line.paths === undefined && !exists(repository.system, first) &&
    !(await repository.index()).entries.some(({ path }) => path.startsWith(first)) &&
    !(head === undefined && first === "HEAD")
  ) {
    await requireRevision(repository, first)
  }
  const revision = isRevision || (head === undefined && first === "HEAD") ? operands.shift() ?? "HEAD" : "HEAD"
  const paths = [...operands, ...line.paths ?? []]
  const oid = revision === "HEAD" && head === undefined ? undefined : await requireCommit(repository, revision)
  if (paths.length > 0 || line.paths !== undefined) {
    if (line.has("hard") || line.has("soft")) {
      return fatal(`Cannot do ${line.has("hard") ? "hard" : "soft"} reset with paths.`)
    }
    return resetPaths(
      git,
      repository,
      oid === undefined ? undefined : (await repository.objects.commit(oid)).tree,
      paths,
      line.has("q"),
    )
  }
  const pending = pendingOperation(repository)
  if (line.has("soft") && (await repository.index()).conflicts.length > 0) {
    return fatal("Cannot do a soft reset in the middle of a merge.")
  }
  if (line.has("hard")) await overwriteTree(repository, oid)
  if (oid !== undefined) {
    const name = line.operands[0] ?? "HEAD"
    if (head !== undefined) await repository.refs.update("ORIG_HEAD", head)
    await repository.moveHead(oid, `reset: moving to ${name}`)
    if (line.has("hard") && !line.has("q")) git.printLine(`HEAD is now at ${await describeCommit(repository, oid)}`)
  }
  if (!line.has("soft") && !line.has("hard")) {
    await resetPaths(
      git,
      repository,
      oid === undefined ? undefined : (await repository.objects.commit(oid)).tree,
      [],
      line.has("q"),
    )
  }
  if (line.has("soft") || pending === "rebase") return
  removeState(repository, "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD")
}
