/** Implements `git branch` and `git tag`. Source: git-branch(1), git-tag(1). */
import { compileGlob } from "../../../utilities/shared/compileGlob.ts"
import { fatal, GitError, unsupported } from "../GitError.ts"
import { cleanMessage } from "./commit.ts"
import { readTextIfExists } from "../files.ts"
import { subjectOf } from "../objects.ts"
import type { Repository } from "../Repository.ts"
import { abbreviate, expandName, peel, requireCommit, requireRevision } from "../revisions.ts"
import type { Command, CommandLine, Session } from "../Session.ts"
import { aheadBehind, isAncestor, upstreamOf } from "../upstream.ts"

const setUpstream = async (git: Session, repository: Repository, branch: string, to: string): Promise<void> => {
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

const deleteBranches = async (git: Session, repository: Repository, line: CommandLine): Promise<number> => {
  let code = 0
  const current = await repository.branch()
  for (const name of line.operands) {
    const ref = line.has("r") ? `refs/remotes/${name}` : `refs/heads/${name}`
    const oid = await repository.refs.resolve(ref)
    if (oid === undefined) {
      git.warn(`error: ${line.has("r") ? "remote-tracking " : ""}branch '${name}' not found.`)
      code = 1
      continue
    }
    if (name === current && !line.has("r")) {
      git.warn(`error: Cannot delete branch '${name}' checked out at '${repository.top}'`)
      code = 1
      continue
    }
    if (line.has("d") && !line.has("f") && !line.has("r")) {
      const upstream = await upstreamOf(repository, name)
      const target = (upstream === undefined ? undefined : await repository.refs.resolve(upstream.ref)) ??
        await repository.head()
      if (target === undefined || !await isAncestor(repository, oid, target)) {
        git.warn(
          `error: The branch '${name}' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D ${name}'.`,
        )
        code = 1
        continue
      }
    }
    await repository.refs.delete(ref)
    if (!line.has("r")) await repository.config.local?.removeSection(`branch.${name}`)
    git.printLine(
      `Deleted ${line.has("r") ? "remote-tracking " : ""}branch ${name} (was ${abbreviate(repository, oid)}).`,
    )
  }
  return code
}

const rename = async (repository: Repository, line: CommandLine): Promise<void> => {
  const current = await repository.branch()
  const [from, to] = line.operands.length === 1 ? [current, line.operands[0]] : line.operands
  if (from === undefined || to === undefined) return fatal("branch name required")
  repository.refs.requireName(to, "branch")
  const copies = line.has("c") || line.has("C")
  const oid = await repository.refs.resolve(`refs/heads/${from}`)
  if (oid === undefined && from !== current) return fatal(`no branch named '${from}'`)
  if (
    from !== to && await repository.refs.resolve(`refs/heads/${to}`) !== undefined && !line.has("M") &&
    !line.has("C") && !line.has("f")
  ) {
    return fatal(`a branch named '${to}' already exists`)
  }
  const who = await repository.signature("COMMITTER").catch(() => undefined)
  if (oid !== undefined && from !== to) {
    const log = await repository.refs.logOf(`refs/heads/${from}`)
    if (!copies) await repository.refs.delete(`refs/heads/${from}`)
    await repository.refs.update(`refs/heads/${to}`, oid)
    await repository.refs.replaceLog(`refs/heads/${to}`, log)
    if (who !== undefined) {
      await repository.refs.log(
        `refs/heads/${to}`,
        oid,
        oid,
        who,
        `Branch: ${copies ? "copied" : "renamed"} refs/heads/${from} to refs/heads/${to}`,
      )
    }
  }
  if (copies) return
  await repository.config.local?.renameSection(`branch.${from}`, `branch.${to}`)
  if (from !== current) return
  await repository.refs.setSymbolic("HEAD", `refs/heads/${to}`)
  if (oid !== undefined && who !== undefined) {
    await repository.refs.log("HEAD", oid, oid, who, `Branch: renamed refs/heads/${from} to refs/heads/${to}`)
  }
}

const matcher = (patterns: ReadonlyArray<string>): (name: string) => boolean => {
  const globs = patterns.map((pattern) => compileGlob(pattern))
  return (name) => globs.length === 0 || globs.some((glob) => glob(name))
}

const isWanted = async (repository: Repository, line: CommandLine, oid: string): Promise<boolean> => {
  const revision = async (option: string): Promise<string | undefined> => {
    const given = line.value(option)
    return given === undefined ? undefined : await requireCommit(repository, given === "" ? "HEAD" : given)
  }
  const [merged, unmerged, contains, lacks] = [
    await revision("merged"),
    await revision("no-merged"),
    await revision("contains"),
    await revision("no-contains"),
  ]
  const commit = await peel(repository, oid, "commit")
  return (merged === undefined || await isAncestor(repository, commit, merged)) &&
    (unmerged === undefined || !await isAncestor(repository, commit, unmerged)) &&
    (contains === undefined || await isAncestor(repository, contains, commit)) &&
    (lacks === undefined || !await isAncestor(repository, lacks, commit))
}

const list = async (git: Session, repository: Repository, line: CommandLine): Promise<void> => {
  const current = await repository.branch()
  const head = await repository.head()
  const matches = matcher(line.has("list") ? line.operands : [])
  const rows: Array<{ readonly name: string; readonly oid: string; readonly mark: string; readonly branch?: string }> =
    []
  if (current === undefined && head !== undefined && !line.has("r")) {
    const log = await repository.refs.logOf("HEAD")
    const to = log.map(({ message }) => /^checkout: moving from .* to (.*)$/.exec(message)?.[1]).find((each) =>
      each !== undefined
    )
    const from = log.find(({ message }) => message.startsWith("checkout: moving from"))?.oid
    const name = to !== undefined && !/^[0-9a-f]{40}$/.test(to) && await expandName(repository, to) !== undefined
      ? (await expandName(repository, to) ?? to).replace(/^refs\/(?:tags|remotes)\//, "")
      : abbreviate(repository, from ?? head)
    rows.push({ name: `(HEAD detached ${from === head ? "at" : "from"} ${name})`, oid: head, mark: "*" })
  }
  if (!line.has("r")) {
    for (const [ref, oid] of await repository.refs.list("refs/heads/")) {
      const name = ref.slice("refs/heads/".length)
      if (matches(name) && await isWanted(repository, line, oid)) {
        rows.push({ name, oid, mark: name === current ? "*" : " ", branch: name })
      }
    }
  }
  if (line.has("r") || line.has("a")) {
    for (const [ref, oid] of await repository.refs.list("refs/remotes/")) {
      const short = ref.slice("refs/remotes/".length)
      const target = await repository.refs.target(ref)
      const name = (line.has("a") ? "remotes/" : "") + short +
        (target === undefined ? "" : ` -> ${target.replace("refs/remotes/", "")}`)
      if (matches(short) && await isWanted(repository, line, oid)) rows.push({ name, oid, mark: " " })
    }
  }
  const format = line.value("format")
  const width = Math.max(0, ...rows.map(({ name }) => name.replace(/ -> .*/, "").length))
  const count = line.all.filter(([name]) => name === "v").length
  for (const { branch, mark, name, oid } of rows) {
    if (format !== undefined) {
      git.printLine(
        formatRef(
          format,
          branch === undefined ? name : `refs/heads/${branch}`,
          oid,
          await repository.objects.commit(oid).then(({ message }) => subjectOf(message)),
          mark,
        ),
      )
    } else if (count === 0 || name.includes(" -> ")) git.printLine(`${mark} ${name}`)
    else {
      const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch)
      const theirs = upstream === undefined ? undefined : await repository.refs.resolve(upstream.ref)
      let tracking = ""
      if (upstream !== undefined) {
        const [ahead, behind] = theirs === undefined ? [0, 0] : await aheadBehind(repository, oid, theirs)
        const parts = theirs === undefined
          ? ["gone"]
          : [...ahead > 0 ? [`ahead ${ahead}`] : [], ...behind > 0 ? [`behind ${behind}`] : []]
        const text = parts.join(", ")
        tracking = count > 1 ? `[${upstream.name}${text === "" ? "" : `: ${text}`}] ` : text === "" ? "" : `[${text}] `
      }
      git.printLine(
        `${mark} ${name.padEnd(width)} ${abbreviate(repository, oid)} ${tracking}${
          subjectOf((await repository.objects.commit(oid)).message)
        }`,
      )
    }
  }
}

/** The fields of references that scripts ask for. */
export const formatRef = (format: string, ref: string, oid: string, subject: string, mark = " "): string =>
  format.replace(/%\(([^)]*)\)/g, (whole, field: string) => {
    switch (field) {
      case "refname":
        return ref
      case "refname:short":
        return ref.replace(/^refs\/(?:heads|tags|remotes)\//, "")
      case "objectname":
        return oid
      case "objectname:short":
        return oid.slice(0, 7)
      case "subject":
      case "contents:subject":
        return subject
      case "HEAD":
        return mark
    }
    return unsupported(`the field ${whole}`, "use refname, objectname, subject or HEAD")
  })

export const branch: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "branch",
    "d|delete D a|all r|remotes l|list v|verbose m|move M c|copy C f|force show-current u|set-upstream-to: unset-upstream merged:: no-merged:: contains:: no-contains:: t|track:: no-track format: q|quiet sort: edit-description points-at: i|ignore-case column:: no-column no-color color::",
    args,
  )
  if (line.has("edit-description") || line.has("sort") || line.has("points-at")) {
    unsupported("this option of git branch", "leave it out")
  }
  if (line.has("show-current")) {
    const current = await repository.branch()
    return current === undefined ? 0 : void git.printLine(current)
  }
  if (line.has("d") || line.has("D")) {
    return line.operands.length === 0 ? fatal("branch name required") : deleteBranches(git, repository, line)
  }
  if (line.has("m") || line.has("M") || line.has("c") || line.has("C")) return rename(repository, line)
  const upstream = line.value("u")
  const name = line.operands[0] ?? await repository.branch()
  if (upstream !== undefined) {
    return name === undefined
      ? fatal("could not set upstream of HEAD when it does not point to any branch")
      : setUpstream(git, repository, name, upstream)
  }
  if (line.has("unset-upstream")) {
    if (name === undefined || await repository.config.get(`branch.${name}.merge`) === undefined) {
      return fatal(`Branch '${name}' has no upstream information`)
    }
    await repository.config.local?.unset(`branch.${name}.remote`, true)
    await repository.config.local?.unset(`branch.${name}.merge`, true)
    return
  }
  const lists = ["list", "l", "a", "r", "merged", "no-merged", "contains", "no-contains", "format"].some((option) =>
    line.has(option)
  )
  if (lists || line.operands.length === 0) {
    return list(git, repository, {
      ...line,
      has: (option) => line.has(option === "list" ? "l" : option) || (option === "list" && lists),
    })
  }
  const [made = "", start = "HEAD"] = line.operands
  await createBranch(git, repository, made, start, {
    force: line.has("f"),
    ...line.has("no-track") ? { track: false } : line.has("t") ? { track: true } : {},
  })
  return 0
}

export const tag: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "tag",
    "l|list d|delete a|annotate m|message: F|file: f|force n:: contains:: merged:: no-merged:: no-contains:: sort: format: points-at: s|sign v|verify column:: no-column",
    args,
  )
  if (line.has("s") || line.has("v")) unsupported("signing tags", "use git tag -a")
  const { refs } = repository
  if (line.has("d")) {
    let code = 0
    for (const name of line.operands) {
      const oid = await refs.resolve(`refs/tags/${name}`)
      if (oid === undefined) {
        git.warn(`error: tag '${name}' not found.`)
        code = 1
        continue
      }
      await refs.delete(`refs/tags/${name}`)
      git.printLine(`Deleted tag '${name}' (was ${abbreviate(repository, oid)})`)
    }
    return code
  }
  const lists = ["l", "n", "contains", "merged", "no-merged", "no-contains", "sort", "format", "points-at"].some((
    option,
  ) => line.has(option))
  if (lists || line.operands.length === 0) {
    const matches = matcher(line.operands)
    const rows: Array<{ name: string; oid: string; text: string; date: number }> = []
    const points = line.value("points-at")
    const target = points === undefined ? undefined : await requireCommit(repository, points)
    for (const [ref, oid] of await refs.list("refs/tags/")) {
      const name = ref.slice("refs/tags/".length)
      if (!matches(name) || !await isWanted(repository, line, oid)) continue
      if (target !== undefined && await peel(repository, oid, "commit") !== target) continue
      const { type } = await repository.objects.read(oid)
      const found = type === "tag" ? await repository.objects.tag(oid) : await repository.objects.commit(oid)
      rows.push({
        name,
        oid,
        text: found.message,
        date: ("tagger" in found ? found.tagger?.seconds : "committer" in found ? found.committer.seconds : 0) ?? 0,
      })
    }
    const sort = line.value("sort")
    const key = sort?.replace(/^-/, "")
    if (key === "version:refname" || key === "v:refname") rows.sort((a, b) => compareVersions(a.name, b.name))
    else if (key === "creatordate" || key === "taggerdate" || key === "committerdate") {
      rows.sort((a, b) => a.date - b.date)
    } else if (key !== undefined && key !== "refname") {
      unsupported(`--sort=${sort}`, "use refname, version:refname or creatordate")
    }
    if (sort?.startsWith("-") === true) rows.reverse()
    const format = line.value("format")
    for (const { name, oid, text } of rows) {
      if (format !== undefined) git.printLine(formatRef(format, `refs/tags/${name}`, oid, subjectOf(text)))
      else if (line.has("n")) git.printLine(`${name.padEnd(15)} ${subjectOf(text)}`)
      else git.printLine(name)
    }
    return
  }
  const [name = "", given = "HEAD"] = line.operands
  if (!/^[^-]/.test(name)) return fatal(`'${name}' is not a valid tag name.`)
  refs.requireName(name, "tag")
  const old = await refs.resolve(`refs/tags/${name}`)
  if (old !== undefined && !line.has("f")) return fatal(`tag '${name}' already exists`)
  if (given === "HEAD" && await repository.head() === undefined) {
    return fatal("Failed to resolve 'HEAD' as a valid ref.")
  }
  let oid = await requireRevision(repository, given)
  if (line.has("a") || line.has("m") || line.has("F")) {
    const file = line.value("F")
    const message = line.has("m")
      ? line.values("m").map((text) => `${text}\n`).join("\n")
      : file === undefined
      ? undefined
      : await readTextIfExists(repository.system, file)
    if (message === undefined) {
      throw new GitError(
        128,
        "hint: git of the sandbox starts no editor; give the message by -m\nfatal: no tag message?",
      )
    }
    const { type } = await repository.objects.read(oid)
    oid = await repository.objects.writeTag({
      object: oid,
      type,
      name,
      tagger: await repository.signature("COMMITTER"),
      message: cleanMessage(message, false),
    })
  }
  await refs.update(`refs/tags/${name}`, oid)
  if (old !== undefined && old !== oid) {
    git.printLine(`Updated tag '${name}' (was ${abbreviate(repository, old)})`)
  }
  return 0
}

const compareVersions = (one: string, two: string): number => {
  const [a, b] = [one.match(/\d+|\D+/g) ?? [], two.match(/\d+|\D+/g) ?? []]
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [x = "", y = ""] = [a[at], b[at]]
    if (x === y) continue
    if (/^\d/.test(x) && /^\d/.test(y)) return Number(x) - Number(y)
    return x < y ? -1 : 1
  }
  return a.length - b.length
}
