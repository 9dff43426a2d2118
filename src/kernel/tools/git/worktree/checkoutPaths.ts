/** Writes files of the index, or of a tree, to the work tree. Source: git-checkout(1). */
import { failure } from "../GitError.ts"
import type { CommandLine, Session } from "../Session.ts"
import { indexFiles, pathOf, worktreeChanges } from "../diff/changes.ts"
import type { Repository } from "../repository/Repository.ts"
import { parsePathspec } from "./Pathspec.ts"

/** Writes files of the index, or of a tree, to the work tree. Returns their number. */
export const checkoutPaths = async (
  git: Session,
  repository: Repository,
  tree: string | undefined,
  given: ReadonlyArray<string>,
  line: CommandLine,
): Promise<number> => {
  const index = await repository.index()
  const pathspec = parsePathspec(repository, given)
  const files = tree === undefined ? indexFiles(index.entries) : await repository.objects.files(tree)
  const side = line.has("ours") ? 2 : line.has("theirs") ? 3 : undefined
  const conflicts = index.conflicts.filter((path) => pathspec.matches(path))
  pathspec.requireKnown([...files.keys(), ...conflicts])
  if (tree === undefined && side === undefined && conflicts[0] !== undefined) {
    return failure(`path '${conflicts[0]}' is unmerged`)
  }
  const changed = new Set((await worktreeChanges(repository, pathspec)).map(pathOf))
  let count = 0
  for (const [path, { mode, oid }] of files) {
    await git.pause()
    if (!pathspec.matches(path) || oid === undefined) continue
    const isStale = changed.has(path) || index.get(path)?.oid !== oid || index.get(path)?.mode !== mode
    if (isStale) {
      index.add(await repository.checkoutFile(path, oid, mode))
      count++
    }
  }
  for (const path of conflicts) {
    const entry = side === undefined ? undefined : index.get(path, side)
    if (side === undefined || entry === undefined) {
      if (side !== undefined) return failure(`path '${path}' does not have ${side === 2 ? "our" : "their"} version`)
      continue
    }
    await repository.checkoutFile(path, entry.oid, entry.mode)
    count++
  }
  await index.write()
  return count
}
