/** `git ls-remote`. Source: git-ls-remote(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { listRemote } from "../remote/listRemote.ts"
import { defaultRemote, headersOf, remoteUrl, requireHttp } from "../remote/remotes.ts"
import { isOid } from "../repository/Refs.ts"

export const lsRemote: Command = async (git, args) => {
  const line = git.parse("ls-remote", "h|heads t|tags q|quiet get-url exit-code refs symref sort:", args)
  line.refuse("sort get-url", "leave it out")
  const repository = await git.hasRepository() ? await git.repository() : undefined
  const given = line.operands[0] ??
    (repository === undefined ? fatal("No remote configured to list refs from.") : await defaultRemote(repository))
  const url = repository === undefined ? requireHttp(given) : await remoteUrl(repository, given)
  const found = await listRemote(git, repository, url, repository === undefined ? {} : await headersOf(repository, url))
  let count = 0
  for (const [ref, oid] of found.refs) {
    if (
      !isOid(oid) || (line.has("h") && !ref.startsWith("refs/heads/") && !line.has("t")) ||
      (line.has("t") && !ref.startsWith("refs/tags/") && !line.has("h"))
    ) continue
    if (line.has("h") && line.has("t") && !/^refs\/(?:heads|tags)\//.test(ref)) continue
    if (line.has("refs") && (ref === "HEAD" || ref.endsWith("^{}"))) continue
    const patterns = line.operands.slice(1)
    if (patterns.length > 0 && !patterns.some((pattern) => ref === pattern || ref.endsWith(`/${pattern}`))) continue
    count++
    git.printLine(`${oid}\t${ref}`)
  }
  return count === 0 && line.has("exit-code") ? 2 : 0
}
