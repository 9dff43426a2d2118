/** `git clone`. Source: git-clone(1). */
import { resolvePath } from "../../../utilities/shared/paths.ts"
import { fatal, GitError } from "../GitError.ts"
import type { Command, CommandLine, Session } from "../Session.ts"
import { peel } from "../history/revisions.ts"
import { fetchRemote, readDepth } from "../remote/fetchRemote.ts"
import { listRemote, type RemoteRefs } from "../remote/listRemote.ts"
import { headersOf, requireHttp, withoutSlash } from "../remote/remotes.ts"
import { zeroOid } from "../repository/Refs.ts"
import type { Repository } from "../repository/Repository.ts"
import { exists, removeTree } from "../repository/files.ts"
import { makeRepository } from "../repository/makeRepository.ts"
import { applyTree, checkoutWords, filesOf } from "../worktree/applyTree.ts"

/** Points HEAD at the wanted branch or tag of the remote; without one, at its HEAD. */
const setHead = async (
  repository: Repository,
  refs: RemoteRefs["refs"],
  wanted: string | undefined,
  remote: string,
  url: string,
): Promise<void> => {
  const oid = wanted === undefined ? refs.get("HEAD") : refs.get(`refs/heads/${wanted}`)
  const who = await repository.signature("COMMITTER").catch(() => undefined)
  if (wanted !== undefined && oid !== undefined) {
    await repository.refs.setSymbolic("HEAD", `refs/heads/${wanted}`)
    await repository.refs.update(`refs/heads/${wanted}`, oid, who, `clone: from ${url}`)
    if (who !== undefined) await repository.refs.log("HEAD", zeroOid, oid, who, `clone: from ${url}`)
    await repository.config.local?.set(`branch.${wanted}.remote`, "remote", remote)
    await repository.config.local?.set(`branch.${wanted}.merge`, "merge", `refs/heads/${wanted}`)
  } else {
    const tag = wanted === undefined ? refs.get("HEAD") : refs.get(`refs/tags/${wanted}`)
    if (tag !== undefined) {
      await repository.switchHead(
        { oid: await peel(repository, tag, "commit") },
        `checkout: moving from master to ${wanted}`,
        await peel(repository, tag, "commit"),
      )
    }
  }
}

/** Fetches into the new repository, and checks out its HEAD. */
const fetchAndCheckOut = async (
  git: Session,
  repository: Repository,
  line: CommandLine,
  remote: string,
  url: string,
): Promise<void> => {
  const branch = line.value("b")
  const single = line.has("single-branch") || (line.has("depth") && !line.has("no-single-branch"))
  const depth = readDepth(line)
  const headers = await headersOf(repository, url)
  const listed = await listRemote(git, repository, url, headers)
  const headBranch = listed.head?.replace("refs/heads/", "")
  if (branch !== undefined && !listed.refs.has(`refs/heads/${branch}`) && !listed.refs.has(`refs/tags/${branch}`)) {
    throw new GitError(
      128,
      `warning: Could not find remote branch ${branch} to clone.\nfatal: Remote branch ${branch} not found in upstream ${remote}`,
    )
  }
  const wanted = branch ?? headBranch
  await repository.config.local?.set(
    `remote.${remote}.fetch`,
    "fetch",
    single && wanted !== undefined && listed.refs.has(`refs/heads/${wanted}`)
      ? `+refs/heads/${wanted}:refs/remotes/${remote}/${wanted}`
      : `+refs/heads/*:refs/remotes/${remote}/*`,
  )
  if (listed.refs.size === 0) {
    git.warn("warning: You appear to have cloned an empty repository.")
    return
  }
  const found = await fetchRemote(git, repository, {
    remote,
    url,
    depth,
    ref: single ? wanted : undefined,
    tags: !single,
    prune: false,
    quiet: true,
  })
  if (headBranch !== undefined && (!single || headBranch === wanted) && listed.refs.has(`refs/heads/${headBranch}`)) {
    await repository.refs.setSymbolic(`refs/remotes/${remote}/HEAD`, `refs/remotes/${remote}/${headBranch}`)
  }
  await setHead(repository, found.refs, wanted, remote, url)
  const head = await repository.head()
  if (!line.has("n") && head !== undefined) {
    await applyTree(repository, new Map(), await filesOf(repository, head), checkoutWords)
  }
}

export const clone: Command = async (git, args) => {
  const line = git.parse(
    "clone",
    "depth: b|branch: single-branch no-single-branch bare q|quiet n|no-checkout o|origin: no-tags recurse-submodules:: mirror shallow-since: filter: sparse j|jobs: c|config: l|local s|shared reference: v|verbose progress template: separate-git-dir: no-local",
    args,
  )
  line.refuse(
    "bare mirror shallow-since sparse reference filter recurse-submodules c template separate-git-dir no-tags",
    "leave it out",
  )
  const { system } = git
  const [given, named] = line.operands
  if (given === undefined) {
    throw new GitError(
      129,
      "You must specify a repository to clone.\n\nusage: git clone [<options>] [--] <repo> [<dir>]",
    )
  }
  const url = requireHttp(given)
  const name = named ?? withoutSlash(url).replace(/\.git$/, "").replace(/^.*[/:]/, "")
  const target = resolvePath(system, name, "all")
  if (typeof target === "number") return fatal(`could not create work tree dir '${name}'`)
  const entries = system.list(target)
  if (exists(system, target) && (typeof entries === "number" || entries.length > 0)) {
    return fatal(`destination path '${name}' already exists and is not an empty directory.`)
  }
  const wasThere = exists(system, target)
  if (!line.has("q")) git.warn(`Cloning into '${name}'...`)
  await git.flush()
  const repository = git.open(`${target}/.git`, target)
  const remote = line.value("o") ?? "origin"
  try {
    await makeRepository(git, repository.gitdir, false, "master")
    await repository.config.local?.set(`remote.${remote}.url`, "url", url)
    await fetchAndCheckOut(git, repository, line, remote, url)
  } catch (cause) {
    // A clone that fails leaves nothing behind.
    if (cause instanceof GitError) await removeTree(system, wasThere ? repository.gitdir : target)
    throw cause
  }
}
