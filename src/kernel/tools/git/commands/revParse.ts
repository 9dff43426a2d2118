/** `git rev-parse`. Source: git-rev-parse(1). */
import { fatal, unsupported } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { splitRange } from "../history/revisionRange.ts"
import { abbreviate, expandName, failAmbiguous, requireRevision, resolveRevision } from "../history/revisions.ts"
import { mergeBases } from "../history/walkCommits.ts"
import { shortRefName } from "../repository/Refs.ts"
import type { Repository } from "../repository/Repository.ts"

const parseFlags: Readonly<Record<string, (repository: Repository) => string>> = {
  "--show-toplevel": ({ top }) => top,
  "--git-dir": ({ gitdir, isBare, prefix, system, top }) =>
    isBare
      ? (system.cwd === gitdir ? "." : gitdir)
      : prefix === "" && gitdir === `${top === "/" ? "" : top}/.git`
      ? ".git"
      : gitdir,
  "--absolute-git-dir": ({ gitdir }) => gitdir,
  "--git-common-dir": ({ gitdir, prefix }) => prefix === "" ? ".git" : gitdir,
  "--is-inside-work-tree": ({ isBare, gitdir, system }) => `${!isBare && !`${system.cwd}/`.startsWith(`${gitdir}/`)}`,
  "--is-inside-git-dir": ({ gitdir, system }) => `${`${system.cwd}/`.startsWith(`${gitdir}/`)}`,
  "--is-bare-repository": ({ isBare }) => `${isBare}`,
  "--show-prefix": ({ prefix }) => prefix,
  "--show-cdup": ({ prefix }) => "../".repeat(prefix.split("/").length - 1),
}

export const revParse: Command = async (git, args) => {
  const repository = await git.repository()
  let [isVerify, isQuiet, length, abbrev, symbolic]: [
    boolean,
    boolean,
    number,
    "strict" | "loose" | undefined,
    boolean,
  ] = [false, false, 0, undefined, false]
  let found = 0
  for (const arg of args) {
    const flag = Object.hasOwn(parseFlags, arg) ? parseFlags[arg] : undefined
    const [, short] = /^--short(?:=(\d+))?$/.exec(arg) ?? []
    if (flag !== undefined) git.printLine(flag(repository))
    else if (arg === "--verify") isVerify = true
    else if (arg === "-q" || arg === "--quiet") isQuiet = true
    else if (arg.startsWith("--short")) {
      length = Number(short ?? 7)
      isVerify = true
    } else if (arg.startsWith("--abbrev-ref")) {
      abbrev = arg === "--abbrev-ref" || arg === "--abbrev-ref=loose" ? "loose" : "strict"
    } else if (arg === "--symbolic-full-name") symbolic = true
    else if (arg === "--all") { for (const [, oid] of await repository.refs.list()) git.printLine(oid) }
    else if (arg === "--branches" || arg === "--tags") {
      for (const [, oid] of await repository.refs.list(arg === "--tags" ? "refs/tags/" : "refs/heads/")) {
        git.printLine(oid)
      }
    } else if (arg === "--git-path") unsupported("git rev-parse --git-path", "use --git-dir")
    else if (arg === "--" || arg === "--revs-only" || arg === "--default") git.print(arg === "--" ? "--\n" : "")
    else if (arg.startsWith("--")) {
      if (isVerify) return fatal("Needed a single revision")
      git.printLine(arg)
    } else {
      const range = splitRange(arg)
      if (range !== undefined && !isVerify && await resolveRevision(repository, range[0]) !== undefined) {
        const [one, two] = [await requireRevision(repository, range[0]), await requireRevision(repository, range[2])]
        git.printLine(two)
        if (range[1] === "...") {
          git.printLine(one)
          for (const base of await mergeBases(repository, one, two)) git.printLine(`^${base}`)
        } else git.printLine(`^${one}`)
        found++
        continue
      }
      const isNegative = arg.startsWith("^")
      const oid = await resolveRevision(repository, isNegative ? arg.slice(1) : arg)
      if (oid === undefined) {
        if (isVerify) {
          if (isQuiet) return 1
          return fatal("Needed a single revision")
        }
        git.printLine(arg)
        return failAmbiguous(arg)
      }
      found++
      if (abbrev !== undefined || symbolic) {
        const ref = await expandName(repository, arg)
        const full = ref === "HEAD" ? await repository.refs.target("HEAD") ?? "HEAD" : ref
        if (full !== undefined) git.printLine(symbolic ? full : shortRefName(full))
        continue
      }
      git.printLine((isNegative ? "^" : "") + (length > 0 ? abbreviate(repository, oid, length) : oid))
    }
  }
  if (isVerify && found !== 1 && !args.some((arg) => Object.hasOwn(parseFlags, arg))) {
    return isQuiet ? 1 : fatal("Needed a single revision")
  }
  return 0
}
