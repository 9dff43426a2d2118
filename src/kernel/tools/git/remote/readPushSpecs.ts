/** Reads the references that `git push` sends, from its command line and the configuration. Source: git-push(1) "refspec". */
import { failure, fatal, GitError } from "../GitError.ts"
import type { CommandLine } from "../Session.ts"
import { expandName } from "../history/revisions.ts"
import { upstreamOf } from "../history/upstream.ts"
import type { Repository } from "../repository/Repository.ts"

/** A reference here, or an empty text to delete, and the one of the remote. */
export type RefPair = readonly [from: string, to: string]

export interface PushSpecs {
  readonly pairs: ReadonlyArray<RefPair>
  readonly isForced: boolean
}

export const readPushSpecs = async (
  repository: Repository,
  line: CommandLine,
  remote: string,
  url: string,
): Promise<PushSpecs> => {
  const [given, ...specs] = line.operands
  const pairs: Array<RefPair> = []
  if (line.has("all")) { for (const [ref] of await repository.refs.list("refs/heads/")) pairs.push([ref, ref]) }
  if (line.has("tags")) { for (const [ref] of await repository.refs.list("refs/tags/")) pairs.push([ref, ref]) }
  let isForced = line.has("f")
  for (const spec of specs) {
    const [, plus, from = "", to] = /^(\+?)([^:]*)(?::(.*))?$/.exec(spec) ?? []
    isForced ||= plus === "+"
    const source = line.has("d") ? "" : from
    const full = source === ""
      ? ""
      : source === "HEAD"
      ? await repository.refs.target("HEAD") ?? "HEAD"
      : await expandName(repository, source)
    if (full === undefined) {
      return failure(`src refspec ${source} does not match any\nerror: failed to push some refs to '${url}'`)
    }
    const name = to ?? (line.has("d") ? from : full.replace(/^HEAD$/, ""))
    pairs.push([full, name.startsWith("refs/") ? name : `refs/heads/${name}`])
  }
  if (pairs.length === 0) {
    const branch = await repository.branch()
    if (branch === undefined) return fatal("You are not currently on a branch.")
    const upstream = await upstreamOf(repository, branch)
    if (
      upstream === undefined && !line.has("u") && given === undefined &&
      !await repository.config.flag("push.autosetupremote", false)
    ) {
      throw new GitError(
        128,
        `fatal: The current branch ${branch} has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream ${remote} ${branch}\n`,
      )
    }
    pairs.push([`refs/heads/${branch}`, upstream?.merge ?? `refs/heads/${branch}`])
  }
  return { pairs, isForced }
}
