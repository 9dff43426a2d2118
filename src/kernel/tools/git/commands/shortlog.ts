/** `git shortlog`. Source: git-shortlog(1). */
import type { Command } from "../Session.ts"
import { selectCommits } from "../history/selectCommits.ts"
import { subjectOf } from "../repository/objects.ts"

export const shortlog: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("shortlog", "s|summary n|numbered e|email all no-merges since: after: until: before:", args)
  const named = {
    ...line,
    has: (option: string) => option !== "n" && option !== "s" && option !== "e" && line.has(option),
    value: (option: string) => option === "n" ? undefined : line.value(option),
  }
  const { commits } = await selectCommits(git, repository, named)
  const byAuthor = new Map<string, Array<string>>()
  for await (const { author, message } of commits) {
    const name = line.has("e") ? `${author.name} <${author.email}>` : author.name
    byAuthor.set(name, [subjectOf(message), ...byAuthor.get(name) ?? []])
  }
  const authors = [...byAuthor].sort(([a, one], [b, two]) =>
    (line.has("n") ? two.length - one.length : 0) || (a < b ? -1 : 1)
  )
  for (const [name, subjects] of authors) {
    if (line.has("s")) git.printLine(`${`${subjects.length}`.padStart(6)}\t${name}`)
    else git.print(`${name} (${subjects.length}):\n${subjects.map((subject) => `      ${subject}\n`).join("")}\n`)
  }
}
