/** `git pull`. Source: git-pull(1). */
import { fatal, GitError } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { isAncestor, upstreamOf } from "../history/upstream.ts"
import { mergeCommit } from "../merge/mergeCommit.ts"
import { defaultRemote, remoteUrl, withoutSlash } from "../remote/remotes.ts"
import { fetchInto } from "./fetch.ts"
import { mergeSpec } from "./merge.ts"
import { rebase } from "./rebase.ts"

export const pull: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "pull",
    `r|rebase:: no-rebase p|prune t|tags depth: ${mergeSpec.replace(/ n\|no-stat/, " no-stat")}`,
    args,
  )
  const head = await repository.head()
  const branch = await repository.branch()
  const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch)
  if (line.operands.length < 2 && upstream === undefined) {
    throw new GitError(
      1,
      `There is no tracking information for the current branch.\nPlease specify which branch you want to ${
        line.has("r") ? "rebase against" : "merge with"
      }.\nSee git-pull(1) for details.\n\n    git pull <remote> <branch>\n`,
    )
  }
  const oid = await fetchInto(git, repository, line)
  if (oid === undefined) return fatal("the remote has no such branch")
  const url = withoutSlash(await remoteUrl(repository, line.operands[0] ?? await defaultRemote(repository)))
  const configured = await repository.config.get("pull.rebase")
  const rebases = !line.has("no-rebase") &&
    ((line.has("r") && line.value("r") !== "false") || (!line.has("r") && configured === "true"))
  const diverged = head !== undefined && !await isAncestor(repository, head, oid) &&
    !await isAncestor(repository, oid, head)
  const chosen = rebases || line.has("no-rebase") || line.has("r") || configured !== undefined || line.has("no-ff") ||
    line.has("ff-only") || line.has("ff") || await repository.config.get("pull.ff") !== undefined
  if (diverged && !chosen) {
    throw new GitError(
      128,
      'hint: You have divergent branches and need to specify how to reconcile them.\nhint: You can do so by running one of the following commands sometime before\nhint: your next pull:\nhint:\nhint:   git config pull.rebase false  # merge\nhint:   git config pull.rebase true   # rebase\nhint:   git config pull.ff only       # fast-forward only\nhint:\nhint: You can replace "git config" with "git config --global" to set a default\nhint: preference for all repositories. You can also pass --rebase, --no-rebase,\nhint: or --ff-only on the command line to override the configured default per\nhint: invocation.\nfatal: Need to specify how to reconcile divergent branches.',
    )
  }
  if (rebases && head !== undefined) return rebase(git, [oid])
  const merged = line.operands[1] ?? upstream?.merge.replace("refs/heads/", "") ?? ""
  const into = branch === undefined || branch === "main" || branch === "master" ? "" : ` into ${branch}`
  return mergeCommit(git, repository, line, oid, oid, `Merge branch '${merged}' of ${url}${into}`)
}
