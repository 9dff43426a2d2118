/** Finds the upstream of a branch, and counts the commits by which the two differ. */
import type { Repository } from "../repository/Repository.ts"
import { countCommits, mergeBases } from "./walkCommits.ts"

export interface Upstream {
  readonly remote: string
  /** The reference of the remote. */
  readonly merge: string
  /** The reference here. */
  readonly ref: string
  /** As messages show it: `origin/main`. */
  readonly name: string
}

export const upstreamOf = async (repository: Repository, branch: string): Promise<Upstream | undefined> => {
  const remote = await repository.config.get(`branch.${branch}.remote`)
  const merge = await repository.config.get(`branch.${branch}.merge`)
  if (remote === undefined || merge === undefined) return undefined
  const short = merge.replace(/^refs\/heads\//, "")
  return remote === "."
    ? { remote, merge, ref: merge, name: short }
    : { remote, merge, ref: `refs/remotes/${remote}/${short}`, name: `${remote}/${short}` }
}

/** Commits that only one of two has. */
export const aheadBehind = async (
  repository: Repository,
  one: string,
  two: string,
): Promise<readonly [ahead: number, behind: number]> => {
  if (one === two) return [0, 0]
  return [
    await countCommits(repository, { include: [one], exclude: [two] }),
    await countCommits(repository, { include: [two], exclude: [one] }),
  ]
}

/** The sentence of `git status` about a branch and its upstream. */
export const trackingText = async (repository: Repository, branch: string): Promise<string> => {
  const upstream = await upstreamOf(repository, branch)
  if (upstream === undefined) return ""
  const [ours, theirs] = [
    await repository.refs.resolve(`refs/heads/${branch}`),
    await repository.refs.resolve(upstream.ref),
  ]
  const { name } = upstream
  if (theirs === undefined) {
    return `Your branch is based on '${name}', but the upstream is gone.\n  (use "git branch --unset-upstream" to fixup)\n`
  }
  if (ours === undefined) return ""
  const [ahead, behind] = await aheadBehind(repository, ours, theirs)
  const count = (value: number): string => `${value} commit${value === 1 ? "" : "s"}`
  if (ahead === 0 && behind === 0) return `Your branch is up to date with '${name}'.\n`
  if (behind === 0) {
    return `Your branch is ahead of '${name}' by ${count(ahead)}.\n  (use "git push" to publish your local commits)\n`
  }
  if (ahead === 0) {
    return `Your branch is behind '${name}' by ${
      count(behind)
    }, and can be fast-forwarded.\n  (use "git pull" to update your local branch)\n`
  }
  return `Your branch and '${name}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n` +
    `  (use "git pull" to merge the remote branch into yours)\n`
}

export const isAncestor = async (repository: Repository, ancestor: string, of: string): Promise<boolean> =>
  ancestor === of || (await mergeBases(repository, ancestor, of)).includes(ancestor)
