/** Makes branches and sets their upstream. Source: git-branch(1). */
import { fatal } from "../GitError.ts"
import type { Session } from "../Session.ts"
import { expandName, requireCommit } from "../history/revisions.ts"
import type { Repository } from "../repository/Repository.ts"

export const setUpstream = async (git: Session, repository: Repository, branch: string, to: string): Promise<void> => {
  const ref = await expandName(repository, to)
  const local = repository.config.local
  if (ref === undefined || local === undefined) {
    return fatal(`the requested upstream branch '${to}' does not exist`)
  }
  const [, remote, name] = /^refs\/remotes\/([^/]+)\/(.*)$/.exec(ref) ?? []
  await local.set(`branch.${branch}.remote`, "remote", remote ?? ".")
  await local.set(`branch.${branch}.merge`, "merge", remote === undefined ? ref : `refs/heads/${name}`)
  git.printLine(`branch '${branch}' set up to track '${ref.replace(/^refs\/(?:heads|remotes)\//, "")}'.`)
}

/** Makes a branch. `start` is a revision; one of a remote becomes its upstream. */
export const createBranch = async (
  git: Session,
  repository: Repository,
  name: string,
  start: string,
  options: { readonly force?: boolean; readonly track?: boolean } = {},
): Promise<string> => {
  repository.refs.requireName(name, "branch")
  const ref = `refs/heads/${name}`
  const old = await repository.refs.resolve(ref)
  if (old !== undefined && options.force !== true) return fatal(`a branch named '${name}' already exists`)
  const oid = await requireCommitFor(repository, start)
  const who = await repository.signature("COMMITTER")
  await repository.refs.update(
    ref,
    oid,
    who,
    old === undefined ? `branch: Created from ${start}` : `branch: Reset to ${start}`,
  )
  const expanded = await expandName(repository, start)
  if (
    options.track !== false && (expanded?.startsWith("refs/remotes/") === true || options.track === true) &&
    expanded !== undefined && expanded !== "HEAD"
  ) {
    await setUpstream(git, repository, name, start)
  }
  return oid
}

const requireCommitFor = async (repository: Repository, start: string): Promise<string> => {
  if (start === "HEAD" && await repository.head() === undefined) {
    return fatal(`not a valid object name: '${await repository.branch() ?? "HEAD"}'`)
  }
  const ref = await expandName(repository, start)
  if (ref === undefined && !/^[0-9a-f]{4,40}$|[~^@:]/.test(start)) return fatal(`not a valid object name: '${start}'`)
  return requireCommit(repository, start)
}
