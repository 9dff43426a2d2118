/**
 * The working directory that a caller asks for, within the allowed roots.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { LeafFiles, SeenFile } from "./LeafFiles.ts"
import { shown } from "./names.ts"
import { notAllowed, type Refusal } from "./Refusal.ts"

const isWithin = (root: string, path: string): boolean => {
  const slash = root.includes("\\") ? "\\" : "/"
  return path === root || path.startsWith(root.endsWith(slash) ? root : root + slash)
}

const missing = (path: string, code: string): Refusal => ({
  reason: { _tag: "NotFound", what: "workingDirectory", path, code },
  message: `exec: Working directory ${
    code === "ENOTDIR" ? "is not a directory" : "does not exist"
  } '${path}' (${code})`,
})

/**
 * The directory that was asked for. With roots it has to be in one of them, all paths being canonical, and a root that
 * leads nowhere refuses every request for a directory. Roots are looked at anew each time.
 */
export const allowDirectory = (
  files: LeafFiles,
  roots: ReadonlyArray<string> | undefined,
  path: string,
): Result.Result<SeenFile, Refusal> => {
  const canonical: Array<string> = []
  for (const root of roots ?? []) {
    const sighting = files.directory(root)
    if (sighting._tag !== "Seen") {
      const issue = `cwd is not allowed: the configuration ALLOWED_CWD_ROOTS names ${
        shown(root)
      }, which is no directory`
      return Result.fail(notAllowed("allowedCwdRoots", root, issue))
    }
    canonical.push(sighting.seen.file)
  }
  const asked = files.directory(path)
  if (asked._tag === "Missing") return Result.fail(missing(path, asked.code))
  if (asked._tag !== "Seen") {
    return Result.fail(notAllowed("allowedCwdRoots", path, `cwd is not allowed: ${shown(path)} cannot be looked at`))
  }
  const { seen } = asked
  return roots === undefined || canonical.some((root) => isWithin(root, seen.file))
    ? Result.succeed(seen)
    : Result.fail(
      notAllowed("allowedCwdRoots", path, `cwd is not allowed: ${shown(path)} is not within an allowed root`),
    )
}
