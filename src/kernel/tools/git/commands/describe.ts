/** `git describe`. Source: git-describe(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { compareFiles, indexFiles, worktreeChanges } from "../diff/changes.ts"
import { abbreviate, peel, requireCommit } from "../history/revisions.ts"
import { walkCommits } from "../history/walkCommits.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"

export const describe: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "describe",
    "tags always long abbrev:: all dirty:: match: exact-match contains first-parent exclude: candidates:",
    args,
  )
  line.refuse("all match contains first-parent exclude candidates", "use --tags")
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
