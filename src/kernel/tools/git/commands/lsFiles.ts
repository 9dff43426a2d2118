/** `git ls-files`. Source: git-ls-files(1). */
import { GitError } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { pathOf, untrackedFiles, worktreeChanges } from "../diff/changes.ts"
import { octal } from "../diff/printPatch.ts"
import { quotePath } from "../quotePath.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"
import { IgnoreRules } from "../worktree/ignore.ts"

export const lsFiles: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "ls-files",
    "c|cached d|deleted m|modified o|others i|ignored s|stage u|unmerged z t exclude-standard error-unmatch full-name x|exclude: directory k|killed v deduplicate no-empty-directory eol format:",
    args,
  )
  line.refuse("k v t x eol format", "leave it out")
  const index = await repository.index()
  const given = line.allOperands
  const pathspec = parsePathspec(repository, given.length === 0 && repository.prefix !== "" ? ["."] : given)
  const end = line.has("z") ? "\0" : "\n"
  const show = (path: string): string => {
    const shown = line.has("full-name") ? path : repository.relative(path)
    return end === "\0" ? shown : quotePath(shown)
  }
  if (line.has("error-unmatch")) {
    const unmatched = pathspec.unmatched(index.entries.map(({ path }) => path))
    if (unmatched[0] !== undefined) {
      throw new GitError(
        1,
        `error: pathspec '${unmatched[0]}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
      )
    }
  }
  if (line.has("o")) {
    // Without --exclude-standard nothing is ignored.
    const options = { whole: !line.has("directory") }
    const plain = line.has("i") ? [] : await untrackedFiles(repository, pathspec, options)
    const ignored = line.has("i") || !line.has("exclude-standard")
      ? await untrackedFiles(repository, pathspec, { ...options, ignored: true })
      : []
    for (const path of [...plain, ...ignored].sort()) git.print(show(path) + end)
  }
  const changes = line.has("m") || line.has("d") ? await worktreeChanges(repository, pathspec) : []
  if (
    line.has("c") || !["d", "m", "o", "s", "u"].some((option) => line.has(option)) || line.has("s") || line.has("u")
  ) {
    const rules = new IgnoreRules(repository)
    for (const { mode, oid, path, stage } of index.entries) {
      if (!pathspec.matches(path) || (line.has("u") && stage === 0)) continue
      if (line.has("i") && !line.has("o") && !await rules.isIgnored(path, false)) continue
      git.print((line.has("s") || line.has("u") ? `${octal(mode)} ${oid} ${stage}\t` : "") + show(path) + end)
      await git.pause()
    }
  }
  for (const change of changes) {
    if (line.has("m")) git.print(show(pathOf(change)) + end)
    if (line.has("d") && change.status === "D") git.print(show(pathOf(change)) + end)
  }
}
