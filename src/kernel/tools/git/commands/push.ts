/** `git push`. Source: git-push(1). */
import { failure, fatal, GitError } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { abbreviate, expandName } from "../history/revisions.ts"
import { isAncestor, upstreamOf } from "../history/upstream.ts"
import { listRemote, rethrowAsGit } from "../remote/listRemote.ts"
import { gitHttp } from "../remote/network.ts"
import { defaultRemote, headersOf, remoteUrl, withoutSlash } from "../remote/remotes.ts"

export const push: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "push",
    "u|set-upstream f|force d|delete tags all force-with-lease:: n|dry-run q|quiet follow-tags v|verbose no-verify mirror prune atomic porcelain progress o|push-option: signed::",
    args,
  )
  line.refuse("force-with-lease n follow-tags mirror prune atomic porcelain o signed", "name the branches")
  const [given, ...specs] = line.operands
  const remote = given ?? await defaultRemote(repository)
  const branch = await repository.branch()
  const url = await remoteUrl(repository, remote, true)
  const pairs: Array<readonly [from: string, to: string]> = []
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
  const headers = await headersOf(repository, url)
  const found = await listRemote(git, repository, url, headers)
  const library = await repository.objects.library()
  const report: Array<string> = []
  let code = 0
  for (const [from, to] of pairs) {
    const old = found.refs.get(to)
    const oid = from === "" ? undefined : await repository.refs.resolve(from)
    const [short, target] = [from.replace(/^refs\/(?:heads|tags)\//, ""), to.replace(/^refs\/(?:heads|tags)\//, "")]
    if (from !== "" && old === oid) continue
    if (
      old !== undefined && oid !== undefined && !isForced &&
      (await repository.objects.readIfExists(old) === undefined || !await isAncestor(repository, old, oid))
    ) {
      const isUnknown = await repository.objects.readIfExists(old) === undefined
      report.push(` ! [rejected]        ${short} -> ${target} (${isUnknown ? "fetch first" : "non-fast-forward"})`)
      code = 1
      continue
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
        report.push(` ! [remote rejected] ${short || target} -> ${target} (${refusal?.error ?? result.error})`)
        code = 1
        continue
      }
    } catch (cause) {
      return rethrowAsGit(cause, withoutSlash(url))
    }
    const tracking = to.startsWith("refs/heads/") ? `refs/remotes/${remote}/${target}` : undefined
    const isNamed = await repository.config.get(`remote.${remote}.url`) !== undefined
    if (oid === undefined) {
      report.push(` - [deleted]         ${target}`)
      if (tracking !== undefined) await repository.refs.delete(tracking)
    } else {
      if (tracking !== undefined && isNamed) {
        await repository.refs.update(
          tracking,
          oid,
          await repository.signature("COMMITTER").catch(() => undefined),
          "update by push",
        )
      }
      if (old === undefined) {
        report.push(` * [new ${to.startsWith("refs/tags/") ? "tag" : "branch"}]      ${short} -> ${target}`)
      } else if (await repository.objects.readIfExists(old) !== undefined && await isAncestor(repository, old, oid)) {
        report.push(
          `   ${abbreviate(repository, old)}..${abbreviate(repository, oid)}  ${short} -> ${target}`,
        )
      } else {report.push(
          ` + ${old.slice(0, 7)}...${abbreviate(repository, oid)} ${short} -> ${target} (forced update)`,
        )}
    }
  }
  if (!line.has("q") || code !== 0) {
    git.warn(report.length === 0 ? "Everything up-to-date" : `To ${url}\n${report.join("\n")}`)
  }
  if (code !== 0) {
    git.warn(`error: failed to push some refs to '${url}'`)
    return code
  }
  if (!line.has("u")) return
  for (const [from, to] of pairs) {
    const name = from.replace("refs/heads/", "")
    if (!from.startsWith("refs/heads/")) continue
    await repository.config.local?.set(`branch.${name}.remote`, "remote", remote)
    await repository.config.local?.set(`branch.${name}.merge`, "merge", to)
    git.printLine(`branch '${name}' set up to track '${remote}/${to.replace("refs/heads/", "")}'.`)
  }
  return 0
}
