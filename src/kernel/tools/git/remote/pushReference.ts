/** Pushes one reference, and updates the one that follows it here. */
import type { Session } from "../Session.ts"
import { abbreviate } from "../history/revisions.ts"
import { isAncestor } from "../history/upstream.ts"
import type { Repository } from "../repository/Repository.ts"
import { rethrowAsGit } from "./listRemote.ts"
import { gitHttp } from "./gitHttp.ts"
import type { RefPair } from "./readPushSpecs.ts"
import { withoutSlash } from "./remotes.ts"

export interface PushTarget {
  readonly remote: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** References that the remote has. */
  readonly refs: ReadonlyMap<string, string>
}

/** A line of the report of `git push`. */
export interface PushOutcome {
  readonly text: string
  readonly isRefused: boolean
}

/** `undefined` if the remote has it already. */
export const pushReference = async (
  git: Session,
  repository: Repository,
  { headers, refs, remote, url }: PushTarget,
  [from, to]: RefPair,
  isForced: boolean,
): Promise<PushOutcome | undefined> => {
  const library = await repository.objects.library()
  const old = refs.get(to)
  const oid = from === "" ? undefined : await repository.refs.resolve(from)
  const [short, target] = [from.replace(/^refs\/(?:heads|tags)\//, ""), to.replace(/^refs\/(?:heads|tags)\//, "")]
  if (from !== "" && old === oid) return undefined
  if (
    old !== undefined && oid !== undefined && !isForced &&
    (await repository.objects.readIfExists(old) === undefined || !await isAncestor(repository, old, oid))
  ) {
    const isUnknown = await repository.objects.readIfExists(old) === undefined
    const why = isUnknown ? "fetch first" : "non-fast-forward"
    return { text: ` ! [rejected]        ${short} -> ${target} (${why})`, isRefused: true }
  }
  try {
    const result = await library.push({
      fs: repository.objects.fs,
      http: gitHttp(git.system),
      gitdir: repository.gitdir,
      cache: repository.objects.cache,
      url: withoutSlash(url),
      remote,
      ref: from === "" ? await repository.refs.target("HEAD") ?? "HEAD" : from,
      remoteRef: to,
      force: true,
      delete: from === "",
      headers: { ...headers },
      onProgress: () => git.pause(),
    })
    const refusal = Object.values(result.refs).find(({ ok }) => !ok)
    if (!result.ok || refusal !== undefined) {
      const why = refusal?.error ?? result.error
      return { text: ` ! [remote rejected] ${short || target} -> ${target} (${why})`, isRefused: true }
    }
  } catch (cause) {
    return rethrowAsGit(cause, withoutSlash(url))
  }
  const tracking = to.startsWith("refs/heads/") ? `refs/remotes/${remote}/${target}` : undefined
  if (oid === undefined) {
    if (tracking !== undefined) await repository.refs.delete(tracking)
    return { text: ` - [deleted]         ${target}`, isRefused: false }
  }
  if (tracking !== undefined && await repository.config.get(`remote.${remote}.url`) !== undefined) {
    const who = await repository.signature("COMMITTER").catch(() => undefined)
    await repository.refs.update(tracking, oid, who, "update by push")
  }
  if (old === undefined) {
    const kind = to.startsWith("refs/tags/") ? "tag" : "branch"
    return { text: ` * [new ${kind}]      ${short} -> ${target}`, isRefused: false }
  }
  const isForward = await repository.objects.readIfExists(old) !== undefined && await isAncestor(repository, old, oid)
  const text = isForward
    ? `   ${abbreviate(repository, old)}..${abbreviate(repository, oid)}  ${short} -> ${target}`
    : ` + ${old.slice(0, 7)}...${abbreviate(repository, oid)} ${short} -> ${target} (forced update)`
  return { text, isRefused: false }
}
