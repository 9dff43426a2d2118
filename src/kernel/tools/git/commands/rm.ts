/** `git rm`. Source: git-rm(1). */
import { fatal, GitError } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { worktreeVersion } from "../diff/changes.ts"
import { parsePathspec, repositoryPath } from "../worktree/Pathspec.ts"

export const rm: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("rm", "cached r f|force n|dry-run q|quiet ignore-unmatch", args)
  const given = line.allOperands
  if (given.length === 0) return fatal("No pathspec was given. Which files should I remove?")
  const index = await repository.index()
  const pathspec = parsePathspec(repository, given)
  const matched = index.entries.filter(({ path }) => pathspec.matches(path))
  const unmatched = pathspec.unmatched(index.entries.map(({ path }) => path))
  if (unmatched[0] !== undefined && !line.has("ignore-unmatch")) {
    return fatal(`pathspec '${unmatched[0]}' did not match any files`)
  }
  if (!line.has("r")) {
    for (const text of given) {
      if (/[*?[]/.test(text)) continue
      const path = repositoryPath(repository, text)
      if (!index.has(path) && matched.some((entry) => entry.path.startsWith(path === "" ? "" : `${path}/`))) {
        return fatal(`not removing '${text}' recursively without -r`)
      }
    }
  }
  if (!line.has("f")) {
    const tree = await repository.headTree()
    const head = tree === undefined ? new Map() : await repository.objects.files(tree)
    const [staged, both, local]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
    for (const entry of matched) {
      if (entry.stage !== 0) continue
      const now = await worktreeVersion(repository, entry, index.written)
      const isLocal = now !== undefined && (now.oid !== entry.oid || now.mode !== entry.mode)
      const isStaged = head.get(entry.path)?.oid !== entry.oid
      if (isLocal && isStaged) both.push(entry.path)
      else if (line.has("cached")) continue
      else if (isStaged && now !== undefined) staged.push(entry.path)
      else if (isLocal) local.push(entry.path)
    }
    const complain = (paths: ReadonlyArray<string>, one: string, many: string, hint: string): string =>
      `error: the following ${paths.length === 1 ? `file has ${one}` : `files have ${many}`}:\n${
        paths.map((path) => `    ${path}`).join("\n")
      }\n(${hint})`
    const messages = [
      ...both.length === 0 ? [] : [
        complain(
          both,
          "staged content different from both the\nfile and the HEAD",
          "staged content different from both the\nfile and the HEAD",
          "use -f to force removal",
        ),
      ],
      ...staged.length === 0 ? [] : [
        complain(
          staged,
          "changes staged in the index",
          "changes staged in the index",
          "use --cached to keep the file, or -f to force removal",
        ),
      ],
      ...local.length === 0 ? [] : [
        complain(
          local,
          "local modifications",
          "local modifications",
          "use --cached to keep the file, or -f to force removal",
        ),
      ],
    ]
    if (messages.length > 0) throw new GitError(1, messages.join("\n"))
  }
  for (const path of new Set(matched.map((entry) => entry.path))) {
    if (!line.has("q")) git.printLine(`rm '${path}'`)
    if (line.has("n")) continue
    index.remove(path)
    if (!line.has("cached")) repository.removeFile(path)
    await git.pause()
  }
  if (!line.has("n")) await index.write()
}
