/** Moves HEAD, the index and the work tree to a branch or a commit. Source: git-switch(1). */
import { fatal, GitError } from "../GitError.ts"
import type { CommandLine, Session } from "../Session.ts"
import { createBranch } from "../branches/createBranch.ts"
import { pathOf, worktreeChanges } from "../diff/changes.ts"
import { describeCommit, previousBranch, requireCommit } from "../history/revisions.ts"
import { trackingText } from "../history/upstream.ts"
import { quotePath } from "../quotePath.ts"
import type { Repository } from "../repository/Repository.ts"
import { parsePathspec } from "./Pathspec.ts"
import { applyTree, checkoutWords, filesOf, overwriteTree } from "./applyTree.ts"
import { stagedChanges } from "./readStatus.ts"

/** The files with changes, as `git checkout` lists them. */
export const printLocalChanges = async (git: Session, repository: Repository): Promise<void> => {
  const all = parsePathspec(repository, [])
  const lines = new Map<string, string>()
  for (const change of await stagedChanges(repository, all)) lines.set(pathOf(change), change.status)
  for (const change of await worktreeChanges(repository, all)) {
    if (!lines.has(pathOf(change)) || change.status === "D") lines.set(pathOf(change), change.status)
  }
  for (const [path, status] of [...lines].sort(([a], [b]) => a < b ? -1 : 1)) {
    git.print(`${status}\t${quotePath(path)}\n`)
  }
}

/** Checks out a branch or a commit. */
const switchHead = async (
  git: Session,
  repository: Repository,
  target: { readonly branch: string; readonly oid: string } | { readonly oid: string; readonly name: string },
  options: {
    readonly force?: boolean
    readonly quiet?: boolean
    readonly isNew?: boolean
    readonly isReset?: boolean
  } = {},
): Promise<void> => {
  const head = await repository.head()
  const current = await repository.branch()
  if ((await repository.index()).conflicts.length > 0 && options.force !== true) {
    const paths = (await repository.index()).conflicts
    throw new GitError(
      1,
      `${paths.map((path) => `${path}: needs merge`).join("\n")}\nerror: you need to resolve your current index first`,
    )
  }
  if (options.force === true) await overwriteTree(repository, target.oid)
  else {await applyTree(
      repository,
      await filesOf(repository, head),
      await filesOf(repository, target.oid),
      checkoutWords,
    )}
  const before = current ?? head ?? ""
  const isSame = "branch" in target && target.branch === current
  if ("branch" in target) {
    await repository.switchHead(
      { branch: target.branch },
      `checkout: moving from ${before} to ${target.branch}`,
      target.oid,
    )
  } else {await repository.switchHead(
      { oid: target.oid },
      `checkout: moving from ${before} to ${target.name}`,
      target.oid,
    )}
  if (options.quiet === true) return
  if (options.force !== true && head !== undefined) await printLocalChanges(git, repository)
  if ("branch" in target) {
    if (current === undefined && head !== undefined && head !== target.oid) {
      git.warn(`Previous HEAD position was ${await describeCommit(repository, head)}`)
    }
    const how = options.isReset === true
      ? "Switched to and reset branch"
      : options.isNew === true
      ? "Switched to a new branch"
      : isSame
      ? "Already on"
      : "Switched to branch"
    git.warn(`${how} '${target.branch}'`)
    if (options.isNew !== true) git.print(await trackingText(repository, target.branch))
    return
  }
  if (current === undefined && head !== undefined && head !== target.oid) {
    git.warn(`Previous HEAD position was ${await describeCommit(repository, head)}`)
  } else if (current !== undefined) {
    git.warn(
      `Note: switching to '${target.name}'.\n\nYou are in 'detached HEAD' state. You can look around, make experimental\nchanges and commit them, and you can discard any commits you make in this\nstate without impacting any branches by switching back to a branch.\n`,
    )
  }
  git.warn(`HEAD is now at ${await describeCommit(repository, target.oid)}`)
}

/** A branch of a single remote with this name, for `git switch name`. */
export const findRemoteBranch = async (repository: Repository, name: string): Promise<string | undefined> => {
  const found = (await repository.refs.list("refs/remotes/")).filter(([ref]) =>
    ref.split("/").slice(3).join("/") === name
  )
  return found.length === 1 ? found[0]?.[0].slice("refs/remotes/".length) : undefined
}

export const switchToNew = async (
  git: Session,
  repository: Repository,
  line: CommandLine,
  name: string,
  start: string,
): Promise<void> => {
  const force = line.has("B") || line.has("C")
  const wasThere = await repository.refs.resolve(`refs/heads/${name}`) !== undefined
  const head = await repository.head()
  if (head === undefined && start === "HEAD") {
    repository.refs.requireName(name, "branch")
    await repository.refs.setSymbolic("HEAD", `refs/heads/${name}`)
    if (!line.has("q")) git.warn(`Switched to a new branch '${name}'`)
    return
  }
  // The work tree is changed first: if that fails there is no new branch.
  const oid = await requireCommit(repository, start)
  repository.refs.requireName(name, "branch")
  if (wasThere && !force) return fatal(`a branch named '${name}' already exists`)
  await applyTree(repository, await filesOf(repository, head), await filesOf(repository, oid), checkoutWords)
  await createBranch(git, repository, name, start, {
    force,
    ...line.has("no-track") ? { track: false } : line.has("t") ? { track: true } : {},
  })
  await switchHead(git, repository, { branch: name, oid }, {
    quiet: line.has("q"),
    isNew: true,
    isReset: wasThere && force,
  })
}

export const expandDash = async (repository: Repository, name: string): Promise<string> =>
  name !== "-" ? name : await previousBranch(repository) ?? fatal("invalid reference: @{-1}")

export const switchTo = async (
  git: Session,
  repository: Repository,
  line: CommandLine,
  name: string,
): Promise<void> => {
  const options = { force: line.has("f") || line.has("discard-changes"), quiet: line.has("q") }
  const branch = /^@\{-\d+\}$/.test(name) ? await expandDash(repository, "-") : name
  const oid = await repository.refs.resolve(`refs/heads/${branch}`)
  if (oid !== undefined && !line.has("detach") && !line.has("d")) {
    return switchHead(git, repository, { branch, oid }, options)
  }
  return switchHead(git, repository, { oid: await requireCommit(repository, name), name }, options)
}
