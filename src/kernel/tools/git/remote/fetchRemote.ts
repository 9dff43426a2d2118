/** Fetches objects of a remote and updates the references that follow it. */
import { fatal } from "../GitError.ts"
import type { CommandLine, Session } from "../Session.ts"
import { abbreviate, peel } from "../history/revisions.ts"
import { isAncestor } from "../history/upstream.ts"
import type { Repository } from "../repository/Repository.ts"
import { listRemote, type RemoteRefs, rethrowAsGit } from "./listRemote.ts"
import { gitHttp } from "./gitHttp.ts"
import { headersOf, withoutSlash } from "./remotes.ts"

interface FetchPlan {
  readonly remote: string
  readonly url: string
  readonly depth: number | undefined
  /** One branch or tag; otherwise all branches. */
  readonly ref: string | undefined
  readonly tags: boolean
  readonly prune: boolean
  readonly quiet: boolean
}

/** Fetches objects and updates the references of a remote. Returns the HEAD of the remote. */
const fetchObjects = async (git: Session, repository: Repository, plan: FetchPlan): Promise<RemoteRefs> => {
  const headers = await headersOf(repository, plan.url)
  const found = await listRemote(git, repository, plan.url, headers)
  if (found.refs.size === 0) return found
  const library = await repository.objects.library()
  const wanted = plan.ref === undefined
    ? [...found.refs].filter(([ref]) => ref.startsWith("refs/heads/") || ref === "HEAD")
    : [...found.refs].filter(([ref]) => [plan.ref, `refs/heads/${plan.ref}`, `refs/tags/${plan.ref}`].includes(ref))
  if (wanted.length === 0) return fatal(`couldn't find remote ref ${plan.ref}`)
  const missing: Array<string> = []
  for (const [, oid] of wanted) if (await repository.objects.readIfExists(oid) === undefined) missing.push(oid)
  if (missing.length > 0 || plan.depth !== undefined) {
    try {
      await library.fetch({
        fs: repository.objects.fs,
        http: gitHttp(git.system),
        gitdir: repository.gitdir,
        cache: repository.objects.cache,
        url: withoutSlash(plan.url),
        remote: plan.remote,
        ...plan.ref === undefined ? {} : { ref: plan.ref, remoteRef: plan.ref },
        singleBranch: plan.ref !== undefined,
        tags: plan.tags || plan.ref === undefined,
        ...plan.depth === undefined ? {} : { depth: plan.depth },
        headers: { ...headers },
        // Its promise is waited for: other processes run while a pack is indexed.
        onProgress: () => git.pause(),
      })
    } catch (cause) {
      return rethrowAsGit(cause, withoutSlash(plan.url))
    }
  }
  return found
}

/** Updates the references of a remote, and reports them on stderr as git does. */
const updateRemoteRefs = async (
  git: Session,
  repository: Repository,
  plan: FetchPlan,
  found: RemoteRefs,
  before: ReadonlyMap<string, string>,
): Promise<void> => {
  const lines: Array<string> = []
  const who = await repository.signature("COMMITTER").catch(() => undefined)
  const add = (flag: string, what: string, from: string, to: string, note = ""): void => {
    lines.push(` ${flag} ${what.padEnd(17)} ${from.padEnd(10)} -> ${to}${note}`)
  }
  for (const [ref, oid] of found.refs) {
    const [, branch] = /^refs\/heads\/(.*)$/.exec(ref) ?? []
    if (branch === undefined || (plan.ref !== undefined && plan.ref !== branch)) continue
    const local = `refs/remotes/${plan.remote}/${branch}`
    const old = before.get(local)
    if (old === oid || await repository.objects.readIfExists(oid) === undefined) continue
    await repository.refs.update(local, oid, who, old === undefined ? "fetch: storing head" : "fetch: fast-forward")
    const name = `${plan.remote}/${branch}`
    if (old === undefined) add("*", "[new branch]", branch, name)
    else if (await isAncestor(repository, old, oid)) {
      add(" ", `${abbreviate(repository, old)}..${abbreviate(repository, oid)}`, branch, name)
    } else {add(
        "+",
        `${abbreviate(repository, old)}...${abbreviate(repository, oid)}`,
        branch,
        name,
        "  (forced update)",
      )}
  }
  for (const [ref, oid] of found.refs) {
    const [, name] = /^refs\/tags\/(.*?)(?:\^\{\})?$/.exec(ref) ?? []
    if (name === undefined || ref.endsWith("^{}") || await repository.refs.resolve(ref) !== undefined) continue
    if (await repository.objects.readIfExists(oid) === undefined) continue
    const peeled = await peel(repository, oid).catch(() => undefined)
    if (peeled === undefined) continue
    await repository.refs.update(ref, oid)
    add("*", "[new tag]", name, name)
  }
  if (plan.prune) {
    for (const [ref] of await repository.refs.list(`refs/remotes/${plan.remote}/`)) {
      const branch = ref.split("/").slice(3).join("/")
      if (branch === "HEAD" || found.refs.has(`refs/heads/${branch}`)) continue
      await repository.refs.delete(ref)
      lines.push(` - [deleted]         (none)     -> ${plan.remote}/${branch}`)
    }
  }
  if (lines.length > 0 && !plan.quiet) git.warn(`From ${withoutSlash(plan.url)}\n${lines.join("\n")}`)
}

export const readDepth = (line: CommandLine): number | undefined => {
  const text = line.value("depth")
  return text === undefined
    ? undefined
    : /^[1-9]\d*$/.test(text)
    ? Number(text)
    : fatal(`depth ${text} is not a positive number`)
}

export const fetchRemote = async (git: Session, repository: Repository, plan: FetchPlan): Promise<RemoteRefs> => {
  const before = new Map(await repository.refs.list("refs/remotes/"))
  const found = await fetchObjects(git, repository, plan)
  // isomorphic-git has already set references, which are set again with a log and a message.
  for (const [ref] of await repository.refs.list(`refs/remotes/${plan.remote}/`)) {
    const old = before.get(ref)
    if (ref.endsWith("/HEAD")) continue
    if (old === undefined) await repository.refs.delete(ref)
    else await repository.refs.update(ref, old)
  }
  await updateRemoteRefs(git, repository, plan, found, before)
  return found
}
