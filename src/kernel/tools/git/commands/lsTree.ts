/** `git ls-tree`. Source: git-ls-tree(1). */
import { fatal, GitError } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { octal } from "../diff/printPatch.ts"
import { peel, resolveRevision } from "../history/revisions.ts"
import { quotePath } from "../quotePath.ts"
import { modes } from "../repository/objects.ts"
import { repositoryPath } from "../worktree/Pathspec.ts"

export const lsTree: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "ls-tree",
    "r d t l|long z name-only name-status full-name full-tree abbrev:: object-only format:",
    args,
  )
  line.refuse("format t abbrev", "leave it out")
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
