/** Resolves names of revisions to ids of objects. Source: gitrevisions(7). */
import { fatal, unsupported } from "../GitError.ts"
import { isOid } from "../repository/Refs.ts"
import type { Repository } from "../repository/Repository.ts"
import { type ObjectType, subjectOf } from "../repository/objects.ts"
import { repositoryPath } from "../worktree/Pathspec.ts"
import { upstreamOf } from "./upstream.ts"
import { walkCommits } from "./walkCommits.ts"

/** Follows tags and commits to an object of a type. */
export const peel = async (repository: Repository, oid: string, to?: ObjectType): Promise<string> => {
  let current = oid
  for (;;) {
    const { type } = await repository.objects.read(current)
    if (type === to || (to === undefined && type !== "tag")) return current
    if (type === "tag") current = (await repository.objects.tag(current)).object
    else if (type === "commit" && to === "tree") return (await repository.objects.commit(current)).tree
    else return fatal(`${oid} is a ${type}, not a ${to}`)
  }
}

const nthPrevious = async (repository: Repository, count: number): Promise<string | undefined> => {
  let left = count
  for (const { message } of await repository.refs.logOf("HEAD")) {
    const [, from] = /^checkout: moving from (.*) to /.exec(message) ?? []
    if (from !== undefined && --left === 0) return from
  }
  return undefined
}

/** The branch that `@{-1}` or `-` means, or an id. */
export const previousBranch = (repository: Repository, count = 1): Promise<string | undefined> =>
  nthPrevious(repository, count)

/** The reference that a name means: `main` is `refs/heads/main`. */
export const expandName = async (repository: Repository, given: string): Promise<string | undefined> => {
  const { refs } = repository
  if (given === "@") return "HEAD"
  const [, back] = /^@\{-(\d+)\}$/.exec(given) ?? []
  if (back !== undefined) {
    const name = await nthPrevious(repository, Number(back))
    return name === undefined ? undefined : refs.expand(name)
  }
  const [, branch = "", kind] = /^(.*)@\{(u|upstream|push)\}$/.exec(given) ?? []
  if (kind !== undefined) {
    const name = branch === "" || branch === "HEAD" ? await repository.branch() : branch
    if (name === undefined) return fatal("HEAD does not point to a branch")
    const upstream = await upstreamOf(repository, name)
    return upstream?.ref ?? fatal(`no upstream configured for branch '${name}'`)
  }
  return refs.expand(given)
}

const fromLog = async (repository: Repository, name: string, index: number): Promise<string | undefined> => {
  const ref = name === "" ? (await repository.refs.target("HEAD")) ?? "HEAD" : await expandName(repository, name)
  if (ref === undefined) return undefined
  const log = await repository.refs.logOf(ref)
  const found = log[index]?.oid ?? (index === log.length && index > 0 ? log.at(-1)?.old : undefined)
  if (found !== undefined && !/^0*$/.test(found)) return found
  if (index === 0) return repository.refs.resolve(ref)
  return fatal(`log for '${name === "" ? ref.replace(/^refs\/heads\//, "") : name}' only has ${log.length} entries`)
}

const resolveBase = async (repository: Repository, base: string): Promise<string | undefined> => {
  if (isOid(base)) return base
  const [, name = "", index] = /^(.*)@\{(\d+)\}$/.exec(base) ?? []
  if (index !== undefined) return fromLog(repository, name, Number(index))
  if (/@\{(?!-|u|upstream|push)/.test(base)) {
    return unsupported(`the time of '${base}'`, "name an entry by its number, as in HEAD@{2}")
  }
  const ref = await expandName(repository, base)
  if (ref !== undefined) return repository.refs.resolve(ref)
  if (/^@\{-\d+\}$/.test(base)) {
    const oid = await nthPrevious(repository, Number(base.slice(3, -1)))
    return oid !== undefined && /^[0-9a-f]{4,40}$/.test(oid) ? repository.objects.expand(oid) : undefined
  }
  const [, described] = /-\d+-g([0-9a-f]{4,40})$/.exec(base) ?? []
  const hex = described ?? base
  return /^[0-9a-f]{4,40}$/.test(hex) ? repository.objects.expand(hex) : undefined
}

/** The newest commit whose message has a text. */
const byMessage = async (
  repository: Repository,
  text: string,
  from: ReadonlyArray<string>,
): Promise<string | undefined> => {
  for await (const commit of walkCommits(repository, { include: from })) {
    if (commit.message.includes(text)) return commit.oid
  }
  return undefined
}

const inTree = async (repository: Repository, tree: string, path: string): Promise<string | undefined> => {
  let oid = tree
  for (const name of path.split("/").filter((each) => each !== "")) {
    if ((await repository.objects.read(oid)).type !== "tree") return undefined
    const entry = (await repository.objects.tree(oid)).find((each) => each.name === name)
    if (entry === undefined) return undefined
    oid = entry.oid
  }
  return oid
}

/** Returns the id of a revision; `undefined` if there is none. */
export const resolveRevision = async (repository: Repository, given: string): Promise<string | undefined> => {
  if (given.startsWith(":/")) {
    const all = (await repository.refs.list()).map(([, oid]) => oid)
    return byMessage(repository, given.slice(2), all)
  }
  if (given.startsWith(":")) {
    const [, stage = "0", path = ""] = /^:(?:([0-3]):)?(.*)$/s.exec(given) ?? []
    return (await repository.index()).get(repositoryPath(repository, path), Number(stage))?.oid
  }
  const colon = given.replace(/\{[^}]*\}/g, (text) => "x".repeat(text.length)).indexOf(":")
  if (colon > 0) {
    const base = await resolveRevision(repository, given.slice(0, colon))
    if (base === undefined) return undefined
    const path = given.slice(colon + 1)
    const whole = path.startsWith("./") || path.startsWith("../") ? repositoryPath(repository, path) : path
    return inTree(repository, await peel(repository, base, "tree"), whole)
  }
  const [, base = "", suffixes = ""] = /^(.*?)((?:\^\{[^}]*\}|\^\d*|~\d*)*)$/s.exec(given) ?? []
  let oid = await resolveBase(repository, base === "" ? "HEAD" : base)
  if (oid !== undefined && base === "" && suffixes === "") return undefined
  for (const suffix of suffixes.match(/\^\{[^}]*\}|\^\d*|~\d*/g) ?? []) {
    if (oid === undefined) return undefined
    if (suffix.startsWith("^{")) {
      const type = suffix.slice(2, -1)
      if (type.startsWith("/")) {
        oid = await byMessage(repository, type.slice(1), [await peel(repository, oid, "commit")])
      } else if (type === "") oid = await peel(repository, oid)
      else if (type === "commit" || type === "tree" || type === "tag" || type === "blob") {
        oid = await peel(repository, oid, type)
      } else if (type !== "object") return undefined
      continue
    }
    oid = await peel(repository, oid, "commit")
    const count = suffix.length === 1 ? 1 : Number(suffix.slice(1))
    if (suffix.startsWith("^")) {
      if (count > 0) oid = (await repository.objects.commit(oid)).parents[count - 1]
      continue
    }
    for (let left = count; left > 0 && oid !== undefined; left--) {
      oid = (await repository.objects.commit(oid)).parents[0]
      await repository.pause()
    }
  }
  return oid
}

/** Fails as git does where an operand is neither a revision nor a path. */
export const failAmbiguous = (given: string): never =>
  fatal(
    `ambiguous argument '${given}': unknown revision or path not in the working tree.
` +
      "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'",
  )

export const requireRevision = async (repository: Repository, given: string): Promise<string> =>
  await resolveRevision(repository, given) ?? failAmbiguous(given)

export const requireCommit = async (repository: Repository, given: string): Promise<string> =>
  peel(repository, await requireRevision(repository, given), "commit")

/** The shortest unambiguous prefix of an id, of at least 7 digits. */
export const abbreviate = (repository: Repository, oid: string, length = 7): string => {
  for (let digits = Math.max(4, length); digits < 40; digits++) {
    const short = oid.slice(0, digits)
    if (repository.objects.isUnique(short)) return short
  }
  return oid
}

/** The short id and the subject of a commit. */
export const describeCommit = async (repository: Repository, oid: string): Promise<string> =>
  `${abbreviate(repository, oid)} ${subjectOf((await repository.objects.commit(oid)).message)}`
