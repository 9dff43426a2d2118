/** Resolves, checks and syncs the paths of a journal file. */
import type * as NodeFs from "node:fs"
import { readErrorCode } from "../../../base/readErrorCode.ts"
import { JournalError } from "../../JournalError.ts"
import { corruptError } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"

/** Minimum age in milliseconds at which a temporary lock file counts as left behind. */
const leftoverMillis = 60_000

/** The facts of a regular file; `undefined` when it is missing. Throws for anything else: opening a FIFO would block. */
export const statFile = ({ files }: HostSystem, path: string): NodeFs.Stats | undefined => {
  const found = files.statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return found
  throw corruptError(path, found.isDirectory() ? "it is a directory" : "it is not a file")
}

/** Syncs the directory of a path, where directories can be synced. Throws when the disk fails. */
export const syncDirectory = ({ files, path: { dirname } }: HostSystem, path: string): void => {
  try {
    const descriptor = files.openSync(dirname(path), "r")
    try {
      files.fsyncSync(descriptor)
    } finally {
      files.closeSync(descriptor)
    }
  } catch (error) {
    const code = readErrorCode(error)
    // Windows does not open directories, and some file systems do not sync them.
    if (code !== "EIO" && code !== "ENOSPC" && code !== "EDQUOT") return
    throw JournalError.because(
      { _tag: "Unavailable", code },
      `journal: ${path} was made, and the disk did not confirm its name (${code}): whether it is kept is unknown`,
      error,
    )
  }
}

export const makeDirectory = (system: HostSystem, path: string): void => {
  const { files, path: { dirname } } = system
  if (files.statSync(path, { throwIfNoEntry: false }) !== undefined) return
  makeDirectory(system, dirname(path))
  try {
    files.mkdirSync(path)
  } catch (error) {
    if (readErrorCode(error) !== "EEXIST") throw error
  }
  syncDirectory(system, path)
}

/** Removes temporary files of dead writers. Only the holder of the lock may call it. */
export const removeLeftovers = (system: HostSystem, path: string): void => {
  const { files, path: { basename, dirname, join } } = system
  const name = basename(path)
  let names: ReadonlyArray<string>
  try {
    names = files.readdirSync(dirname(path))
  } catch {
    // A directory can be used without the permission to list it.
    return
  }
  for (const found of names) {
    const isLock = found.startsWith(`${name}.lock-`)
    if (!isLock && !found.startsWith(`${name}.tmp-`)) continue
    const leftover = join(dirname(path), found)
    try {
      // Another process may be about to take the lock: its file is young. The wall clock, because the file's time is of
      // the wall clock.
      if (isLock && Date.now() - files.statSync(leftover).mtimeMs < leftoverMillis) continue
      files.unlinkSync(leftover)
    } catch {
      // A file that is left does no harm.
    }
  }
}

/** The absolute path of a file with links resolved: it stays the same when the working directory changes. */
export const resolvePath = (
  { files, path: { basename, dirname, join, resolve } }: HostSystem,
  path: string,
): string => {
  const absolute = resolve(path)
  try {
    return files.realpathSync(absolute)
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error
    return join(files.realpathSync(dirname(absolute)), basename(absolute))
  }
}
