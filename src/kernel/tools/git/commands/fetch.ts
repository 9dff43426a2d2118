/** `git fetch`. Source: git-fetch(1). */
import type { Command, CommandLine, Session } from "../Session.ts"
import { upstreamOf } from "../history/upstream.ts"
import { fetchRemote, readDepth } from "../remote/fetchRemote.ts"
import { defaultRemote, remoteNames, remoteUrl, withoutSlash } from "../remote/remotes.ts"
import type { Repository } from "../repository/Repository.ts"
import { replaceFile } from "../repository/files.ts"

const fetchSpec =
  "all p|prune t|tags n|no-tags depth: q|quiet v|verbose f|force unshallow a|append dry-run j|jobs: multiple prune-tags deepen: shallow-since: set-upstream progress recurse-submodules::"

export const fetchInto = async (
  git: Session,
  repository: Repository,
  line: CommandLine,
): Promise<string | undefined> => {
  line.refuse("unshallow dry-run multiple prune-tags deepen shallow-since a", "use --depth")
  const [given, ...specs] = line.operands
  const remotes = line.has("all") ? await remoteNames(repository) : [given ?? await defaultRemote(repository)]
  let head: string | undefined
  for (const remote of remotes) {
    const url = await remoteUrl(repository, remote)
    const prune = line.has("p") || await repository.config.flag("fetch.prune", false)
    const plan = { remote, url, depth: readDepth(line), tags: line.has("t"), prune, quiet: line.has("q") }
    if (specs.length === 0) {
      const found = await fetchRemote(git, repository, { ...plan, ref: undefined })
      const branch = await repository.branch()
      const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch)
      head = found.refs.get(upstream?.merge ?? "HEAD")
    }
    for (const spec of specs) {
      const [, source = "", target] = /^\+?([^:]*)(?::(.*))?$/.exec(spec) ?? []
      const found = await fetchRemote(git, repository, { ...plan, ref: source.replace("refs/heads/", "") })
      head = found.refs.get(`refs/heads/${source}`) ?? found.refs.get(source) ?? found.refs.get(`refs/tags/${source}`)
      if (target !== undefined && target !== "" && head !== undefined) {
        await repository.refs.update(target.startsWith("refs/") ? target : `refs/heads/${target}`, head)
      }
    }
    if (head !== undefined) {
      await replaceFile(
        git.system,
        `${repository.gitdir}/FETCH_HEAD`,
        `${head}\t\t${specs[0] === undefined ? "" : `branch '${specs[0]}' of `}${withoutSlash(url)}\n`,
      )
    }
  }
  return head
}

export const fetch: Command = async (git, args) => {
  const repository = await git.repository()
  await fetchInto(git, repository, git.parse("fetch", fetchSpec, args))
}
