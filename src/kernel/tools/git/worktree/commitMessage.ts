/** Messages and trees of new commits, and the report of one. Source: git-commit(1). */
import type { Session } from "../Session.ts"
import { detectRenames } from "../diff/changes.ts"
import { countLines } from "../diff/diffOptions.ts"
import { statLine, summaryLines } from "../diff/printStat.ts"
import { changesBetween } from "../history/commitChanges.ts"
import { formatDate } from "../history/dates.ts"
import { abbreviate } from "../history/revisions.ts"
import type { Repository } from "../repository/Repository.ts"
import { type Commit, subjectOf } from "../repository/objects.ts"

/** Removes comments and blank lines by the mode of `--cleanup`. Source: git-commit(1). */
export const cleanMessage = (text: string, removeComments: boolean): string => {
  const lines = text.split("\n").filter((line) => !removeComments || !line.startsWith("#")).map((line) =>
    line.trimEnd()
  )
  const joined = lines.join("\n").replace(/\n{3,}/g, "\n\n").replace(/^\n+|\n+$/g, "")
  return joined === "" ? "" : `${joined}\n`
}

/** Formats the lines that `git commit` prints about a new commit. */
export const commitReport = async (
  git: Session,
  repository: Repository,
  commit: Commit,
  options: { readonly author?: boolean; readonly date?: boolean } = {},
): Promise<void> => {
  const [parent] = commit.parents
  const branch = await repository.branch()
  const where = branch === undefined ? "detached HEAD" : branch
  git.print(
    `[${where}${parent === undefined ? " (root-commit)" : ""} ${abbreviate(repository, commit.oid)}] ${
      subjectOf(commit.message)
    }\n`,
  )
  const { author, committer } = commit
  if (author.name !== committer.name || author.email !== committer.email) {
    git.print(` Author: ${author.name} <${author.email}>\n`)
  }
  if (options.date === true) git.print(` Date: ${formatDate(author, "default", repository.system)}\n`)
  if (commit.parents.length > 1) return
  const changes = await detectRenames(repository, await changesBetween(repository, parent, commit.oid))
  const stats = await countLines(git, repository, changes, { asText: false, keyOf: undefined })
  git.print(statLine(stats) + summaryLines(changes))
}

/** The tree of the index. */
export const writeIndexTree = async (repository: Repository): Promise<string> => {
  const { entries } = await repository.index()
  return repository.objects.writeFiles(entries.flatMap((entry) => entry.isIntent ? [] : [[entry.path, entry] as const]))
}
