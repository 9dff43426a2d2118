/** `git rev-list`. Source: git-rev-list(1). */
import type { Command } from "../Session.ts"
import { logSpec } from "../history/logOptions.ts"
import { selectCommits } from "../history/selectCommits.ts"

export const revList: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("rev-list", logSpec, args, true)
  const { commits } = await selectCommits(git, repository, line)
  let count = 0
  for await (const commit of commits) {
    count++
    if (!line.has("count")) git.printLine(commit.oid)
    await git.pause()
  }
  if (line.has("count")) git.printLine(`${count}`)
}
