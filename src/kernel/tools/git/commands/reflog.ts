/** `git reflog`. Source: git-reflog(1). */
import { fatal, unsupported } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { readDiffOptions } from "../diff/diffOptions.ts"
import { entryPrinter } from "../history/LogEntryPrinter.ts"
import { limitOf, logSpec, readPretty } from "../history/logOptions.ts"

export const reflog: Command = async (git, args) => {
  const repository = await git.repository()
  const isShow = args[0] === "show"
  if (["expire", "delete", "exists"].includes(args[0] ?? "")) {
    unsupported(`git reflog ${args[0]}`, "nothing is ever removed from logs")
  }
  const line = git.parse("reflog", logSpec, isShow ? args.slice(1) : args, true)
  const name = line.operands[0] ?? "HEAD"
  const ref = await repository.refs.expand(name) ??
    fatal(`ambiguous argument '${name}': unknown revision or path not in the working tree.`)
  const given = line.has("format") || line.has("pretty") || line.has("oneline")
  const pretty = given
    ? await readPretty(repository, line)
    : { ...await readPretty(repository, line), format: "oneline", isTerminated: true, abbreviate: true }
  const diff = await readDiffOptions(git, repository, line, undefined)
  const printer = entryPrinter(git, repository, pretty, diff)
  const limit = limitOf(line, "n")
  let at = 0
  for (const entry of await repository.refs.logOf(ref)) {
    if (at >= limit) return
    const selector = `${name}@{${at++}}`
    if (await repository.objects.readIfExists(entry.oid) === undefined) continue
    await printer.print(await repository.objects.commit(entry.oid), undefined, { selector, message: entry.message })
    await git.pause()
  }
}
