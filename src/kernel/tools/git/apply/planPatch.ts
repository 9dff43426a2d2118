/** Checks whether a patch applies to the files of a work tree, and plans their new content. */
import { failure } from "../GitError.ts"
import type { Session } from "../Session.ts"
import { worktreeVersion } from "../diff/changes.ts"
import { modes } from "../repository/objects.ts"
import type { Repository } from "../repository/Repository.ts"
import { applyHunks } from "./applyHunks.ts"
import type { GitPatch } from "./parseGitPatch.ts"
import type { PatchedFiles } from "./PatchedFiles.ts"

/** Longest path: `PATH_MAX` of Linux. */
const maxPathLength = 4_096

const isSafe = (path: string): boolean =>
  path.length <= maxPathLength &&
  path.split("/").every((name) => name !== "" && name !== "." && name !== ".." && name.toLowerCase() !== ".git")

/** Fails unless the index has a file as it is in the work tree. */
const checkIndex = async (repository: Repository, path: string): Promise<void> => {
  const index = await repository.index()
  const entry = index.get(path)
  if (entry === undefined) return failure(`${path}: does not exist in index`)
  const now = await worktreeVersion(repository, entry, index.written)
  if (now !== undefined && (now.oid !== entry.oid || now.mode !== entry.mode)) failure(`${path}: does not match index`)
}

/** Checks one patch against the files and plans its result. Throws a `GitError` that says why it does not apply. */
export const planPatch = async (
  git: Session,
  files: PatchedFiles,
  patch: GitPatch,
  index: Repository | undefined,
  isVerbose: boolean,
): Promise<void> => {
  const { hunks } = patch
  const [old, changed] = [patch.old, patch.new]
  for (const path of [old, changed]) {
    if (path === undefined) continue
    if (!isSafe(path)) failure(`invalid path '${path.slice(0, maxPathLength)}'`, 128)
    if (files.isBeyondLink(path)) failure(`affected file '${path}' is beyond a symbolic link`)
  }
  const name = old ?? changed ?? ""
  if (old !== undefined && index !== undefined) await checkIndex(index, old)
  const before = old === undefined ? undefined : await files.read(old)
  if (old !== undefined && before === undefined) {
    failure(files.exists(old) ? `${old}: wrong type` : `${old}: No such file or directory`)
  }
  if (changed !== undefined && changed !== old && files.exists(changed)) {
    if ((await index?.index())?.has(changed) === true) failure(`${changed}: already exists in index`)
    failure(`${changed}: already exists in working directory`)
  }
  if (before !== undefined && patch.oldMode !== undefined && before.mode !== patch.oldMode) {
    git.warn(`warning: ${name} has type ${before.mode.toString(8)}, expected ${patch.oldMode.toString(8)}`)
  }
  const result = await applyHunks(before?.lines ?? [], hunks, git.pause)
  if ("failed" in result) {
    git.warn(`error: patch failed: ${name}:${result.failed.oldStart}`)
    return failure(`${name}: patch does not apply`)
  }
  if (isVerbose) {
    for (const { line, number, offset } of result.offsets) {
      git.warn(`Hunk #${number} succeeded at ${line} (offset ${offset} line${Math.abs(offset) === 1 ? "" : "s"}).`)
    }
  }
  if (changed === undefined) {
    if (result.lines.length > 0) {
      git.warn("error: removal patch leaves file contents")
      failure(`${name}: patch does not apply`)
    }
  } else {
    files.plan(changed, { lines: result.lines, mode: patch.newMode ?? before?.mode ?? modes.file })
  }
  if (old !== undefined && old !== changed && !patch.isCopy) files.plan(old, undefined)
}
