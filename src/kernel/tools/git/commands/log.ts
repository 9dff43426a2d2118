/** `git log`. Source: git-log(1). */
import type { Command } from "../Session.ts"
import { prepareChanges, readDiffOptions } from "../diff/diffOptions.ts"
import { entryPrinter } from "../history/LogEntryPrinter.ts"
import { commitChanges } from "../history/commitChanges.ts"
import { logSpec, readPretty } from "../history/logOptions.ts"
import { selectCommits } from "../history/selectCommits.ts"
import { reflog } from "./reflog.ts"

export const log: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("log", logSpec, args, true)
  if (line.has("g") || line.has("walk-reflogs")) {
    return reflog(git, [
      "show",
      ...args.filter((arg) => arg !== "-g" && arg !== "--walk-reflogs"),
    ])
  }
  const { commits, pathspec } = await selectCommits(git, repository, line)
  const diff = await readDiffOptions(git, repository, line, undefined)
  const printer = entryPrinter(git, repository, await readPretty(repository, line), diff)
  const pickaxe = diff.pickaxe !== undefined || diff.filter !== undefined
  for await (const commit of commits) {
    const isShown = (diff.formats.size > 0 || pickaxe) && (commit.parents.length < 2 || line.has("first-parent"))
    const changes = isShown
      ? await prepareChanges(repository, await commitChanges(repository, commit, pathspec), diff)
      : undefined
    if (pickaxe && (changes === undefined || changes.length === 0)) continue
    await printer.print(commit, changes)
    await git.pause()
  }
}
