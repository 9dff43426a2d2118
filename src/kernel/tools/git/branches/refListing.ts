/** Selects, sorts and formats references for `git branch`, `git tag` and `git for-each-ref`. */
import { compileGlob } from "../../../utilities/shared/compileGlob.ts"
import { unsupported } from "../GitError.ts"
import type { CommandLine } from "../Session.ts"
import { peel, requireCommit } from "../history/revisions.ts"
import { isAncestor } from "../history/upstream.ts"
import { shortRefName } from "../repository/Refs.ts"
import type { Repository } from "../repository/Repository.ts"
import { type ObjectType, subjectOf } from "../repository/objects.ts"

export const nameMatcher = (patterns: ReadonlyArray<string>): (name: string) => boolean => {
  const globs = patterns.map((pattern) => compileGlob(pattern))
  return (name) => globs.length === 0 || globs.some((glob) => glob(name))
}

/** Whether a reference passes `--merged`, `--contains` and their opposites. */
export const matchesCommits = async (repository: Repository, line: CommandLine, oid: string): Promise<boolean> => {
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

/** Fills the fields of `--format`. */
export const formatRef = (format: string, ref: string, oid: string, subject: string, mark = " "): string =>
  format.replace(/%\(([^)]*)\)/g, (whole, field: string) => {
    switch (field) {
      case "refname":
        return ref
      case "refname:short":
        return shortRefName(ref)
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

export interface RefRow {
  readonly name: string
  readonly oid: string
  readonly type: ObjectType
  readonly subject: string
  /** When it was tagged or committed, in seconds. */
  readonly seconds: number
}

/** Reads what is listed about a reference: of an annotated tag its own message and date. */
export const readRefRow = async (repository: Repository, name: string, oid: string): Promise<RefRow> => {
  const { type } = await repository.objects.read(oid)
  if (type === "tag") {
    const { message, tagger } = await repository.objects.tag(oid)
    return { name, oid, type, subject: subjectOf(message), seconds: tagger?.seconds ?? 0 }
  }
  const { committer, message } = await repository.objects.commit(oid)
  return { name, oid, type, subject: subjectOf(message), seconds: committer.seconds }
}

const orders: Readonly<Record<string, (a: RefRow, b: RefRow) => number>> = {
  refname: () => 0,
  "version:refname": (a, b) => compareVersions(a.name, b.name),
  "v:refname": (a, b) => compareVersions(a.name, b.name),
  creatordate: (a, b) => a.seconds - b.seconds,
  committerdate: (a, b) => a.seconds - b.seconds,
  taggerdate: (a, b) => a.seconds - b.seconds,
}

/** Sorts rows, which are in the order of their names, by the key of `--sort`. */
export const sortRefRows = (rows: ReadonlyArray<RefRow>, sort = "refname"): ReadonlyArray<RefRow> => {
  const key = sort.replace(/^-/, "")
  const order = Object.hasOwn(orders, key) ? orders[key] : undefined
  if (order === undefined) return unsupported(`--sort=${sort}`, "use refname, version:refname or creatordate")
  const sorted = [...rows].sort(order)
  return sort.startsWith("-") ? sorted.reverse() : sorted
}
