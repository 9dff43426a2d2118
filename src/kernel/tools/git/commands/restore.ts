/** `git restore`. Source: git-restore(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { peel, resolveRevision } from "../history/revisions.ts"
import { noStat } from "../repository/IndexFile.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"
import { checkoutPaths } from "../worktree/checkoutPaths.ts"

export const restore: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "restore",
    "s|source: S|staged W|worktree q|quiet ours theirs p|patch m|merge ignore-unmerged overlay no-overlay progress no-progress",
    args,
  )
  line.refuse("p m", "name the files")
  const given = line.allOperands
  if (given.length === 0) return fatal("you must specify path(s) to restore")
  const source = line.value("s")
  const staged = line.has("S")
  const worktree = line.has("W") || !staged
  const index = await repository.index()
  const pathspec = parsePathspec(repository, given)
  if (!staged && source === undefined) {
    await checkoutPaths(git, repository, undefined, given, line)
    return
  }
  const head = await repository.headTree()
  if (source === undefined && head === undefined) return fatal("could not resolve HEAD")
  const tree = source === undefined
    ? head ?? ""
    : await peel(repository, await resolveRevision(repository, source) ?? fatal(`could not resolve ${source}`), "tree")
  const files = await repository.objects.files(tree)
  pathspec.requireKnown([...files.keys(), ...index.entries.map(({ path }) => path)])
  for (const path of new Set([...files.keys(), ...index.entries.map((entry) => entry.path)])) {
    await git.pause()
    if (!pathspec.matches(path)) continue
    const entry = files.get(path)
    if (entry === undefined) {
      if (staged) index.remove(path)
      if (worktree) repository.removeFile(path)
      continue
    }
    const written = worktree ? await repository.checkoutFile(path, entry.oid, entry.mode) : undefined
    if (!staged) continue
    const known = index.get(path)
    if (written !== undefined) index.add(written)
    else if (known?.oid !== entry.oid || known.mode !== entry.mode) {
      index.add({ path, stage: 0, mode: entry.mode, oid: entry.oid, ...noStat, isIntent: false })
    }
  }
  await index.write()
}
