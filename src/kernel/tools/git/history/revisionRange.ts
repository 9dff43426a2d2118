/** Reads revisions, ranges and paths of a command line. Source: gitrevisions(7) "SPECIFYING RANGES". */
import { fatal } from "../GitError.ts"
import type { CommandLine } from "../Session.ts"
import type { Repository } from "../repository/Repository.ts"
import { exists } from "../repository/files.ts"
import { failAmbiguous, peel, requireCommit, resolveRevision } from "./revisions.ts"
import { mergeBases } from "./walkCommits.ts"

export interface RevisionRange {
  readonly include: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  readonly paths: ReadonlyArray<string>
  /** Whether any revision was given. */
  readonly isGiven: boolean
}

/** Whether an operand names a file, or a pattern for files. */
export const isPathThere = (repository: Repository, operand: string): boolean =>
  !repository.isBare && (exists(repository.system, operand) || /[*?[]/.test(operand) || operand.startsWith(":"))

export const splitRange = (operand: string): readonly [from: string, dots: ".." | "...", to: string] | undefined => {
  const [, from, dots, to] = /^((?:(?!\.\.)[^:])*)(\.\.\.?)((?:(?!\.\.)[^:])*)$/.exec(operand) ?? []
  if (from === undefined || to === undefined || (from === "" && to === "")) return undefined
  return [from === "" ? "HEAD" : from, dots === "..." ? "..." : "..", to === "" ? "HEAD" : to]
}

export const parseRange = async (
  repository: Repository,
  line: Pick<CommandLine, "operands" | "paths">,
): Promise<RevisionRange> => {
  const [include, exclude, paths]: [Array<string>, Array<string>, Array<string>] = [[], [], [...line.paths ?? []]]
  let isGiven = false
  for (const [at, operand] of line.operands.entries()) {
    const range = splitRange(operand)
    if (range !== undefined && await resolveRevision(repository, range[0]) !== undefined) {
      const [from, to] = [await requireCommit(repository, range[0]), await requireCommit(repository, range[2])]
      include.push(to)
      if (range[1] === "..") exclude.push(from)
      else {
        include.push(from)
        exclude.push(...await mergeBases(repository, from, to))
      }
      isGiven = true
      continue
    }
    const isNegative = operand.startsWith("^")
    const oid = await resolveRevision(repository, isNegative ? operand.slice(1) : operand)
    if (
      oid !== undefined &&
      (line.paths !== undefined || !isPathThere(repository, operand) || exists(repository.system, operand) === false)
    ) {
      ;(isNegative ? exclude : include).push(await peel(repository, oid, "commit"))
      isGiven = true
      continue
    }
    if (oid !== undefined && line.paths === undefined) {
      return fatal(
        `ambiguous argument '${operand}': both revision and filename\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
      )
    }
    if (line.paths !== undefined) return fatal(`bad revision '${operand}'`)
    const rest = line.operands.slice(at)
    const missing = rest.find((path) => !isPathThere(repository, path))
    if (missing !== undefined) return failAmbiguous(missing)
    paths.push(...rest)
    break
  }
  return { include, exclude, paths, isGiven }
}
