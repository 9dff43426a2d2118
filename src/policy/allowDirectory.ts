/** Resolves the working directory that a caller names, and refuses a directory outside of the allowed roots. */
import * as Result from "effect/Result"
import { quoteIfNeeded } from "../base/quote.ts"
import { workingDirectoryIssue } from "../command/workingDirectoryIssue.ts"
import type { LeafFiles, SeenFile } from "../shell/LeafFiles.ts"
import { notAllowed, type PolicyRefusal } from "./PolicyRefusal.ts"

/** Whether a canonical path is a folder or in it. */
export const isWithinRoot = (path: string, root: string): boolean => {
  const slash = root.includes("\\") ? "\\" : "/"
  return path === root || path.startsWith(root.endsWith(slash) ? root : root + slash)
}

const missing = (path: string, code: string): PolicyRefusal => ({
  reason: { _tag: "NotFound", what: "workingDirectory", path, code },
  message: `exec: ${
    workingDirectoryIssue(code === "ENOTDIR" ? "is not a directory" : "does not exist", path)
  } (${code})`,
})

/** Resolves the canonical roots; fails with the first one that is not a directory. */
export type AllowedRoots = () => Result.Result<ReadonlyArray<string>, PolicyRefusal>

/** A root stays the directory that it was when the policy was made; a missing one is looked up again later. */
export const makeRoots = (files: LeafFiles | undefined, roots: ReadonlyArray<string>): AllowedRoots => {
  const known = new Map<string, string>()
  const look = (root: string): string | undefined => {
    const before = known.get(root)
    if (before !== undefined) return before
    const sighting = files?.directory(root)
    if (sighting?._tag !== "Seen") return undefined
    known.set(root, sighting.seen.file)
    return sighting.seen.file
  }
  roots.forEach(look)
  return () => {
    const canonical: Array<string> = []
    for (const root of roots) {
      const place = look(root)
      if (place === undefined) {
        const issue = `cwd is not allowed: the configuration ALLOWED_CWD_ROOTS names ${
          quoteIfNeeded(root)
        }, which is not a directory`
        return Result.fail(notAllowed("allowedCwdRoots", root, issue))
      }
      canonical.push(place)
    }
    return Result.succeed(canonical)
  }
}

/**
 * Resolves a requested directory. With roots, the directory has to be in one of them, compared as canonical paths; a
 * root that is not a directory refuses every request. Where git may run, nothing starts in the folder of a repository:
 * `git apply` would write its settings.
 */
export const allowDirectory = (
  files: LeafFiles,
  roots: AllowedRoots | undefined,
  path: string,
  guardsRepositories = false,
): Result.Result<SeenFile, PolicyRefusal> =>
  Result.gen(function* () {
    const canonical = roots === undefined ? undefined : yield* roots()
    const asked = files.directory(path)
    if (asked._tag === "Missing") return yield* Result.fail(missing(path, asked.code))
    const refuse = (why: string): Result.Result<never, PolicyRefusal> =>
      Result.fail(notAllowed("allowedCwdRoots", path, `cwd is not allowed: ${quoteIfNeeded(path)} ${why}`))
    if (asked._tag !== "Seen") return yield* refuse("cannot be checked")
    const { seen } = asked
    if (guardsRepositories && /[/\\]\.git(?:[/\\]|$)/i.test(seen.file)) {
      return yield* refuse("is the folder of a repository, whose settings git would run")
    }
    return canonical === undefined || canonical.some((root) => isWithinRoot(seen.file, root))
      ? seen
      : yield* refuse("is not within an allowed root")
  })

export const homeOf = (files: LeafFiles | undefined): string | undefined => {
  const home = files?.directory(files.variable("HOME") ?? "/")
  return home?._tag === "Seen" ? home.seen.file : undefined
}

/** The canonical path of the directory where a command without one runs; `undefined` where it cannot be checked. */
export const currentDirectory = (files: LeafFiles | undefined): string | undefined => {
  const here = files?.directory(".")
  return here?._tag === "Seen" ? here.seen.file : undefined
}
