/** Tells which of the programs that started no list allows. */
import { existsSync, realpathSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import type { Execution } from "./straceLog.ts"

/** Names the case that a program belongs to, in its environment. */
export const caseVariable = "WITNESS_CASE"

/** A program that started although no list allows it. */
export interface Stranger {
  readonly caseId: string | undefined
  readonly path: string
  readonly argv: ReadonlyArray<string>
  /** The programs before it, the nearest first. */
  readonly by: ReadonlyArray<string>
}

const canonical = (path: string): string => existsSync(path) ? realpathSync(path) : path

/** The one file that each name of a list means, by the search path. */
export const allowedFiles = (names: ReadonlyArray<string>, searchPath: string): ReadonlySet<string> =>
  new Set(names.flatMap((name) => {
    const places = name.startsWith("/") ? [name] : searchPath.split(":").map((folder) => join(folder, name))
    const found = places.find((path) => existsSync(path))
    return found === undefined ? [] : [canonical(found)]
  }))

/**
 * What a program of the list consists of, or starts whatever its arguments are: it is a program's own part, and not what a
 * script has started. By the name of the program that started it.
 */
const parts: Readonly<Record<string, (path: string, argv: ReadonlyArray<string>) => boolean>> = {
  // git's commands are programs of its own folder. The other side of a repository in a folder it starts through a shell, and
  // so the ssh of a policy, which reads no settings.
  git: (path, argv) =>
    /\/git-core\/[\w-]+$/.test(path) || basename(path) === "git" ||
    (basename(path) === "dash" && /^(?:git-(?:upload|receive)-pack '[^']*'|ssh -F none "\$@")$/.test(argv[2] ?? "")),
  // tar has its archives packed by a program, which it starts through a shell with that word alone.
  tar: (path, argv) => basename(path) === "dash" && /^(gzip|bzip2|xz|zstd)( -d)?$/.test(argv[2] ?? ""),
  // By the shell of one of these.
  dash: (path) => /^(gzip|bzip2|xz|zstd|ssh)$/.test(basename(path)) || /\/git(?:-(?:upload|receive)-pack)?$/.test(path),
  // It shows differences that it has another program find.
  sdiff: (path) => basename(path) === "diff",
}

const isPart = ({ argv, by, path }: Execution, owner: ReadonlySet<Execution>): boolean => {
  if (by === undefined || !owner.has(by)) return false
  const name = basename(canonical(by.path)).replace(/^git-.*/, "git")
  return parts[name]?.(canonical(path), argv) ?? false
}

const caseOf = (execution: Execution | undefined): string | undefined => {
  const prefix = `${caseVariable}=`
  const own = execution?.environment.find((entry) => entry.startsWith(prefix))?.slice(prefix.length)
  return own ?? (execution === undefined ? undefined : caseOf(execution.by))
}

const ancestors = ({ by }: Execution): ReadonlyArray<string> => by === undefined ? [] : [by.path, ...ancestors(by)]

/**
 * Sluice's own helpers among what the runtime starts itself: both start a program of the list and nothing else.
 *
 * - A file without `#!` runs through the shell, as by execvp(3).
 * - Where stdout and stderr are one (`2>&1`), a shell joins them, so that their order stays: `exec "$@" 2>&1`.
 *
 * The leaf has its default options here. Otherwise there were the watchdog (`dieWithParent`) and `prlimit` (`limits`); where a
 * runtime cannot signal, which all three can, a shell's `kill` does.
 */
const isHelper = ({ argv, path }: Execution, allowed: ReadonlySet<string>): boolean => {
  if (path !== "/bin/sh" || argv[0] !== "/bin/sh") return false
  const program = argv[1] === "-c" && argv[2] === 'exec "$@" 2>&1' && argv[3] === "sh" ? argv[4] : argv[1]
  return program !== undefined && allowed.has(canonical(program))
}

/** The programs that neither are in the list nor belong to one that is. `folderOf` has relative paths looked up. */
export const strangers = (
  executions: ReadonlyArray<Execution>,
  allowed: ReadonlySet<string>,
  folderOf: (caseId: string) => string,
): ReadonlyArray<Stranger> => {
  /** Those that may be there. */
  const known = new Set<Execution>()
  const found: Array<Stranger> = []
  for (const execution of executions) {
    const caseId = caseOf(execution)
    const path = caseId === undefined ? execution.path : resolve(folderOf(caseId), execution.path)
    const isDirect = execution.by !== undefined && execution.by.by === undefined
    if (
      allowed.has(canonical(path)) || isPart(execution, known) || (isDirect && isHelper(execution, allowed))
    ) known.add(execution)
    else found.push({ caseId, path, argv: execution.argv, by: ancestors(execution) })
  }
  return found
}
