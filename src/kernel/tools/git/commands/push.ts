/** `git push`. Source: git-push(1). */
import type { Command } from "../Session.ts"
import { listRemote } from "../remote/listRemote.ts"
import { pushReference } from "../remote/pushReference.ts"
import { readPushSpecs } from "../remote/readPushSpecs.ts"
import { defaultRemote, headersOf, remoteUrl } from "../remote/remotes.ts"

export const push: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "push",
    "u|set-upstream f|force d|delete tags all force-with-lease:: n|dry-run q|quiet follow-tags v|verbose no-verify mirror prune atomic porcelain progress o|push-option: signed::",
    args,
  )
  line.refuse("force-with-lease n follow-tags mirror prune atomic porcelain o signed", "name the branches")
  const remote = line.operands[0] ?? await defaultRemote(repository)
  const url = await remoteUrl(repository, remote, true)
  const { isForced, pairs } = await readPushSpecs(repository, line, remote, url)
  const headers = await headersOf(repository, url)
  const { refs } = await listRemote(git, repository, url, headers)
  const report: Array<string> = []
  let code = 0
  for (const pair of pairs) {
    const outcome = await pushReference(git, repository, { remote, url, headers, refs }, pair, isForced)
    if (outcome === undefined) continue
    report.push(outcome.text)
    if (outcome.isRefused) code = 1
  }
  if (!line.has("q") || code !== 0) {
    git.warn(report.length === 0 ? "Everything up-to-date" : `To ${url}\n${report.join("\n")}`)
  }
  if (code !== 0) {
    git.warn(`error: failed to push some refs to '${url}'`)
    return code
  }
  if (!line.has("u")) return
  for (const [from, to] of pairs) {
    const name = from.replace("refs/heads/", "")
    if (!from.startsWith("refs/heads/")) continue
    await repository.config.local?.set(`branch.${name}.remote`, "remote", remote)
    await repository.config.local?.set(`branch.${name}.merge`, "merge", to)
    git.printLine(`branch '${name}' set up to track '${remote}/${to.replace("refs/heads/", "")}'.`)
  }
  return 0
}
