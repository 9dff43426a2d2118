/** Implements `git init`, `clone`, `fetch`, `pull`, `push`, `remote` and `ls-remote`. Source: their manuals. */
import { resolvePath } from "../../../utilities/shared/paths.ts"
import { applyTree, filesOf } from "../applyTree.ts"
import { ConfigFile } from "../Config.ts"
import { exists, removeTree, replaceFile, writeBytes } from "../files.ts"
import { failure, fatal, GitError, unsupported } from "../GitError.ts"
import { gitHttp } from "../network.ts"
import { isOid, isRefName, zeroOid } from "../Refs.ts"
import { quotePath } from "../quotePath.ts"
import type { Repository } from "../Repository.ts"
import { abbreviate, expandName, peel } from "../revisions.ts"
import type { Command, CommandLine, Session } from "../Session.ts"
import { isAncestor, upstreamOf } from "../upstream.ts"
import { mergeCommit, mergeSpec } from "./merge.ts"

const textOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Makes the files of a new repository. */
const makeRepository = async (git: Session, gitdir: string, bare: boolean, branch: string): Promise<void> => {
  const { system } = git
  for (const folder of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"]) {
    await writeBytes(system, `${gitdir}/${folder}/.made`, textOf(""))
    system.unlink(`${gitdir}/${folder}/.made`)
  }
  if (!exists(system, `${gitdir}/HEAD`)) await replaceFile(system, `${gitdir}/HEAD`, `ref: refs/heads/${branch}\n`)
  if (!exists(system, `${gitdir}/description`)) {
    await replaceFile(
      system,
      `${gitdir}/description`,
      "Unnamed repository; edit this file 'description' to name the repository.\n",
    )
  }
  if (exists(system, `${gitdir}/config`)) return
  await replaceFile(
    system,
    `${gitdir}/config`,
    `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = ${bare}\n${
      bare ? "" : "\tlogallrefupdates = true\n"
    }`,
  )
}

const initialBranch = async (git: Session, given: string | undefined): Promise<string> =>
  given ?? await (await git.config()).get("init.defaultbranch") ?? "master"

export const init: Command = async (git, args) => {
  const line = git.parse(
    "init",
    "bare b|initial-branch: q|quiet template: separate-git-dir: object-format: shared::",
    args,
  )
  for (const option of ["template", "separate-git-dir", "object-format", "shared"]) {
    if (line.has(option)) unsupported(`git init --${option}`, "leave it out")
  }
  const { system } = git
  const [given = "."] = line.operands
  const folder = resolvePath(system, given, "all")
  if (typeof folder === "number") return fatal(`cannot mkdir ${given}`)
  const gitdir = line.has("bare") ? folder : `${folder === "/" ? "" : folder}/.git`
  const wasThere = exists(system, `${gitdir}/HEAD`)
  const branch = await initialBranch(git, line.value("b"))
  await makeRepository(git, gitdir, line.has("bare"), branch)
  if (line.has("q")) return
  if (
    !wasThere && line.value("b") === undefined && await (await git.config()).get("init.defaultbranch") === undefined
  ) {
    git.warn(
      "hint: Using 'master' as the name for the initial branch. To configure the initial branch name to use in all\nhint: of your new repositories call:\nhint:\nhint: \tgit config --global init.defaultBranch <name>",
    )
  }
  git.printLine(`${wasThere ? "Reinitialized existing" : "Initialized empty"} Git repository in ${gitdir}/`)
}

/** Refuses addresses that are not HTTP: there are no other transports. */
const requireHttp = (url: string): string => {
  if (/^https?:\/\//.test(url)) return url
  if (/^(?:ssh|git):\/\/|^[\w.-]+@[\w.-]+:/.test(url)) return unsupported(`the transport of '${url}'`, "use https")
  return /^\w[\w+.-]*::|^ext:/.test(url)
    ? unsupported(`the transport of '${url}'`, "use https")
    : unsupported(`a repository at a path ('${url}')`, "copy it by cp -r, or use https")
}

/** Errors of isomorphic-git as git's. */
const rethrow = (cause: unknown, url: string): never => {
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") {
    const data: unknown = "data" in cause ? cause.data : undefined
    const status = typeof data === "object" && data !== null && "statusCode" in data
      ? Number(data.statusCode)
      : undefined
    if (cause.code === "HttpError" && status === 401) {
      return fatal(`could not read Username for '${new URL(url).origin}': terminal prompts disabled`)
    }
    if (cause.code === "HttpError" && status === 404) return fatal(`repository '${url}/' not found`)
    if (cause.code === "HttpError") {
      return fatal(`unable to access '${url}/': The requested URL returned error: ${status}`)
    }
    if (cause.code === "SmartHttpError") return fatal(`repository '${url}' does not speak git's smart HTTP`)
    if (cause.code === "NotFoundError") {
      return fatal(`couldn't find remote ref ${String(cause.message).replace(/^Could not find "?|"?\.$/g, "")}`)
    }
    return fatal(cause.message)
  }
  throw cause
}

/** Signals that hold for requests of a remote: headers of its configuration. */
const headersOf = async (repository: Repository, url: string): Promise<Record<string, string>> => {
  const keys = ["http.extraheader", `http.${url}.extraheader`, `http.${new URL(url).origin}/.extraheader`]
  const headers: Record<string, string> = {}
  for (const key of keys) {
    for (const text of await repository.config.all(key)) {
      const [, name, value = ""] = /^([^:]+):\s*(.*)$/.exec(text) ?? []
      if (name !== undefined) headers[name] = value
    }
  }
  return headers
}

const remoteUrl = async (repository: Repository, remote: string, push = false): Promise<string> => {
  const url = (push ? await repository.config.get(`remote.${remote}.pushurl`) : undefined) ??
    await repository.config.get(`remote.${remote}.url`)
  if (url !== undefined) return requireHttp(url)
  if (/^https?:\/\//.test(remote)) return remote
  return fatal(
    `'${remote}' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.`,
  )
}

const bare = (url: string): string => url.replace(/\/+$/, "")

interface FetchResult {
  /** References of the remote. */
  readonly refs: ReadonlyMap<string, string>
  readonly head: string | undefined
}

/** Lists the references of a remote. */
const listRemote = async (
  git: Session,
  repository: Repository | undefined,
  url: string,
  headers: Record<string, string>,
): Promise<FetchResult> => {
  const { listServerRefs } =
    await (repository?.objects.library() ?? import("../loadGit.ts").then(({ loadGit }) => loadGit()))
  try {
    const found = await listServerRefs({
      http: gitHttp(git.system),
      url: bare(url),
      headers: { ...headers },
      symrefs: true,
      protocolVersion: 1,
    })
    const odd = found.find(({ ref }) => !isRefName(ref.replace(/\^\{\}$/, "")))
    if (odd !== undefined) {
      return fatal(`the server has a reference with the name ${quotePath(odd.ref)}, which is not valid`)
    }
    const head = found.find(({ ref }) => ref === "HEAD")
    return { refs: new Map(found.map(({ oid, ref }) => [ref, oid])), head: head?.target }
  } catch (cause) {
    if (cause instanceof GitError) throw cause
    return rethrow(cause, bare(url))
  }
}

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
const fetchRemote = async (git: Session, repository: Repository, plan: FetchPlan): Promise<FetchResult> => {
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
        url: bare(plan.url),
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
      if (cause instanceof GitError) throw cause
      return rethrow(cause, bare(plan.url))
    }
  }
  return found
}

/** Updates the references of a remote, and reports them on stderr as git does. */
const updateRemoteRefs = async (
  git: Session,
  repository: Repository,
  plan: FetchPlan,
  found: FetchResult,
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
  if (lines.length > 0 && !plan.quiet) git.warn(`From ${bare(plan.url)}\n${lines.join("\n")}`)
}

const depthOf = (line: CommandLine): number | undefined => {
  const text = line.value("depth")
  return text === undefined
    ? undefined
    : /^[1-9]\d*$/.test(text)
    ? Number(text)
    : fatal(`depth ${text} is not a positive number`)
}

const fetchAll = async (git: Session, repository: Repository, plan: FetchPlan): Promise<FetchResult> => {
  const before = new Map(await repository.refs.list("refs/remotes/"))
  const found = await fetchRemote(git, repository, plan)
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

export const clone: Command = async (git, args) => {
  const line = git.parse(
    "clone",
    "depth: b|branch: single-branch no-single-branch bare q|quiet n|no-checkout o|origin: no-tags recurse-submodules:: mirror shallow-since: filter: sparse j|jobs: c|config: l|local s|shared reference: v|verbose progress template: separate-git-dir: no-local",
    args,
  )
  for (
    const option of [
      "bare",
      "mirror",
      "shallow-since",
      "sparse",
      "reference",
      "filter",
      "recurse-submodules",
      "c",
      "template",
      "separate-git-dir",
      "no-tags",
    ]
  ) {
    if (line.has(option)) unsupported(`git clone ${option.length === 1 ? "-" : "--"}${option}`, "leave it out")
  }
  const { system } = git
  const [given, named] = line.operands
  if (given === undefined) {
    throw new GitError(
      129,
      "You must specify a repository to clone.\n\nusage: git clone [<options>] [--] <repo> [<dir>]",
    )
  }
  const url = requireHttp(given)
  const name = named ?? bare(url).replace(/\.git$/, "").replace(/^.*[/:]/, "")
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
    const branch = line.value("b")
    const single = line.has("single-branch") || (line.has("depth") && !line.has("no-single-branch"))
    const depth = depthOf(line)
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
    const found = await fetchAll(git, repository, {
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
    const oid = wanted === undefined ? found.refs.get("HEAD") : found.refs.get(`refs/heads/${wanted}`)
    const who = await repository.signature("COMMITTER").catch(() => undefined)
    if (wanted !== undefined && oid !== undefined) {
      await repository.refs.setSymbolic("HEAD", `refs/heads/${wanted}`)
      await repository.refs.update(`refs/heads/${wanted}`, oid, who, `clone: from ${url}`)
      if (who !== undefined) await repository.refs.log("HEAD", zeroOid, oid, who, `clone: from ${url}`)
      await repository.config.local?.set(`branch.${wanted}.remote`, "remote", remote)
      await repository.config.local?.set(`branch.${wanted}.merge`, "merge", `refs/heads/${wanted}`)
    } else {
      const tag = wanted === undefined ? found.refs.get("HEAD") : found.refs.get(`refs/tags/${wanted}`)
      if (tag !== undefined) {
        await repository.switchHead(
          { oid: await peel(repository, tag, "commit") },
          `checkout: moving from master to ${wanted}`,
          await peel(repository, tag, "commit"),
        )
      }
    }
    const head = await repository.head()
    if (!line.has("n") && head !== undefined) {
      await applyTree(repository, new Map(), await filesOf(repository, head), {
        operation: "checkout",
        before: "switch branches",
      })
    }
  } catch (cause) {
    // A clone that fails leaves nothing behind.
    if (cause instanceof GitError) await removeTree(system, wasThere ? repository.gitdir : target)
    throw cause
  }
}

const defaultRemote = async (repository: Repository): Promise<string> => {
  const branch = await repository.branch()
  return (branch === undefined ? undefined : await repository.config.get(`branch.${branch}.remote`)) ?? "origin"
}

const fetchSpec =
  "all p|prune t|tags n|no-tags depth: q|quiet v|verbose f|force unshallow a|append dry-run j|jobs: multiple prune-tags deepen: shallow-since: set-upstream progress recurse-submodules::"

const fetchInto = async (git: Session, repository: Repository, line: CommandLine): Promise<string | undefined> => {
  for (const option of ["unshallow", "dry-run", "multiple", "prune-tags", "deepen", "shallow-since", "a"]) {
    if (line.has(option)) unsupported(`git fetch --${option}`, "use --depth")
  }
  const [given, ...specs] = line.operands
  const remotes = line.has("all") ? await remoteNames(repository) : [given ?? await defaultRemote(repository)]
  let head: string | undefined
  for (const remote of remotes) {
    const url = await remoteUrl(repository, remote)
    const prune = line.has("p") || await repository.config.flag("fetch.prune", false)
    const plan = { remote, url, depth: depthOf(line), tags: line.has("t"), prune, quiet: line.has("q") }
    if (specs.length === 0) {
      const found = await fetchAll(git, repository, { ...plan, ref: undefined })
      const branch = await repository.branch()
      const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch)
      head = found.refs.get(upstream?.merge ?? "HEAD")
    }
    for (const spec of specs) {
      const [, source = "", target] = /^\+?([^:]*)(?::(.*))?$/.exec(spec) ?? []
      const found = await fetchAll(git, repository, { ...plan, ref: source.replace("refs/heads/", "") })
      head = found.refs.get(`refs/heads/${source}`) ?? found.refs.get(source) ?? found.refs.get(`refs/tags/${source}`)
      if (target !== undefined && target !== "" && head !== undefined) {
        await repository.refs.update(target.startsWith("refs/") ? target : `refs/heads/${target}`, head)
      }
    }
    if (head !== undefined) {
      await replaceFile(
        git.system,
        `${repository.gitdir}/FETCH_HEAD`,
        `${head}\t\t${specs[0] === undefined ? "" : `branch '${specs[0]}' of `}${bare(url)}\n`,
      )
    }
  }
  return head
}

export const fetch: Command = async (git, args) => {
  const repository = await git.repository()
  await fetchInto(git, repository, git.parse("fetch", fetchSpec, args))
}

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
  const url = bare(await remoteUrl(repository, line.operands[0] ?? await defaultRemote(repository)))
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
  if (rebases && head !== undefined) return (await import("./rebase.ts")).rebase(git, [oid])
  const merged = line.operands[1] ?? upstream?.merge.replace("refs/heads/", "") ?? ""
  const into = branch === undefined || branch === "main" || branch === "master" ? "" : ` into ${branch}`
  return mergeCommit(git, repository, line, oid, oid, `Merge branch '${merged}' of ${url}${into}`)
}

export const push: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "push",
    "u|set-upstream f|force d|delete tags all force-with-lease:: n|dry-run q|quiet follow-tags v|verbose no-verify mirror prune atomic porcelain progress o|push-option: signed::",
    args,
  )
  for (
    const option of ["force-with-lease", "n", "follow-tags", "mirror", "prune", "atomic", "porcelain", "o", "signed"]
  ) if (line.has(option)) unsupported(`git push ${option.length === 1 ? "-" : "--"}${option}`, "name the branches")
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
        url: bare(url),
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
      if (cause instanceof GitError) throw cause
      return rethrow(cause, bare(url))
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

const remoteNames = async (repository: Repository): Promise<ReadonlyArray<string>> => {
  const keys = (await repository.config.list()).flatMap(([key]) => /^remote\.(.*)\.url$/.exec(key)?.[1] ?? [])
  return [...new Set(keys)].sort()
}

export const remote: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("remote", "v|verbose f t: m: tags no-tags all push add delete", args)
  const local = repository.config.local ?? new ConfigFile(git.system, `${repository.gitdir}/config`)
  const [action, name = "", value] = line.operands
  const names = await remoteNames(repository)
  const requireRemote = (): void => {
    if (!names.includes(name)) throw new GitError(2, `error: No such remote '${name}'`)
  }
  switch (action) {
    case undefined:
      for (const each of names) {
        if (!line.has("v")) {
          git.printLine(each)
          continue
        }
        const url = await repository.config.get(`remote.${each}.url`)
        git.print(
          `${each}\t${url} (fetch)\n${each}\t${await repository.config.get(`remote.${each}.pushurl`) ?? url} (push)\n`,
        )
      }
      return
    case "add":
      if (value === undefined) throw new GitError(129, "usage: git remote add [<options>] <name> <url>")
      if (line.has("t") || line.has("m")) unsupported("git remote add -t and -m", "leave them out")
      if (names.includes(name)) throw new GitError(3, `error: remote ${name} already exists.`)
      if (/[\s~^:?*[\\]|^-|\.\./.test(name)) return fatal(`'${name}' is not a valid remote name`)
      await local.set(`remote.${name}.url`, "url", value)
      await local.set(`remote.${name}.fetch`, "fetch", `+refs/heads/*:refs/remotes/${name}/*`)
      if (line.has("f")) await fetch(git, [name])
      return
    case "remove":
    case "rm":
      requireRemote()
      await local.removeSection(`remote.${name}`)
      for (const [ref] of await repository.refs.list(`refs/remotes/${name}/`)) await repository.refs.delete(ref)
      for (const [key, each] of await repository.config.list()) {
        const [, branch] = /^branch\.(.*)\.remote$/.exec(key) ?? []
        if (branch !== undefined && each === name) {
          await local.unset(`branch.${branch}.remote`, true)
          await local.unset(`branch.${branch}.merge`, true)
        }
      }
      return
    case "rename": {
      requireRemote()
      if (value === undefined) throw new GitError(129, "usage: git remote rename <old> <new>")
      if (names.includes(value)) throw new GitError(3, `error: remote ${value} already exists.`)
      await local.renameSection(`remote.${name}`, `remote.${value}`)
      await local.unset(`remote.${value}.fetch`, true)
      await local.set(`remote.${value}.fetch`, "fetch", `+refs/heads/*:refs/remotes/${value}/*`)
      for (const [ref, oid] of await repository.refs.list(`refs/remotes/${name}/`)) {
        await repository.refs.update(`refs/remotes/${value}/${ref.split("/").slice(3).join("/")}`, oid)
        await repository.refs.delete(ref)
      }
      return
    }
    case "get-url":
      requireRemote()
      return git.printLine(
        (line.has("push") ? await repository.config.get(`remote.${name}.pushurl`) : undefined) ??
          await repository.config.get(`remote.${name}.url`) ?? "",
      )
    case "set-url":
      requireRemote()
      if (line.has("add") || line.has("delete")) unsupported("several addresses of a remote", "set one")
      return local.set(
        `remote.${name}.${line.has("push") ? "pushurl" : "url"}`,
        line.has("push") ? "pushurl" : "url",
        value ?? "",
      )
    case "prune":
      requireRemote()
      await fetch(git, ["-p", name])
      return
  }
  return unsupported(`git remote ${action}`, "use add, remove, rename, get-url or set-url")
}

export const lsRemote: Command = async (git, args) => {
  const line = git.parse("ls-remote", "h|heads t|tags q|quiet get-url exit-code refs symref sort:", args)
  if (line.has("sort") || line.has("get-url")) unsupported("this option of git ls-remote", "leave it out")
  const repository = await git.hasRepository() ? await git.repository() : undefined
  const given = line.operands[0] ??
    (repository === undefined ? fatal("No remote configured to list refs from.") : await defaultRemote(repository))
  const url = repository === undefined ? requireHttp(given) : await remoteUrl(repository, given)
  const found = await listRemote(git, repository, url, repository === undefined ? {} : await headersOf(repository, url))
  let count = 0
  for (const [ref, oid] of found.refs) {
    if (
      !isOid(oid) || (line.has("h") && !ref.startsWith("refs/heads/") && !line.has("t")) ||
      (line.has("t") && !ref.startsWith("refs/tags/") && !line.has("h"))
    ) continue
    if (line.has("h") && line.has("t") && !/^refs\/(?:heads|tags)\//.test(ref)) continue
    if (line.has("refs") && (ref === "HEAD" || ref.endsWith("^{}"))) continue
    const patterns = line.operands.slice(1)
    if (patterns.length > 0 && !patterns.some((pattern) => ref === pattern || ref.endsWith(`/${pattern}`))) continue
    count++
    git.printLine(`${oid}\t${ref}`)
  }
  return count === 0 && line.has("exit-code") ? 2 : 0
}
