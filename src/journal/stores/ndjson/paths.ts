/**
 * What the store does to the directory of its file.
 *
 * @module
 */
import { JournalError } from "../../JournalError.ts"
import { codeOf } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"

/** Temporary names of locks that are older than this were left behind. */
const staleMillis = 60_000

/** Has the disk confirm which names a directory holds, where directories can be asked. Throws when the disk fails. */
export const syncDirectory = ({ files, path: { dirname } }: HostSystem, path: string): void => {
  try {
    const descriptor = files.openSync(dirname(path), "r")
    try {
      files.fsyncSync(descriptor)
    } finally {
      files.closeSync(descriptor)
    }
  } catch (error) {
    const code = codeOf(error)
    // Windows does not open directories, and some file systems do not confirm them.
    if (code !== "EIO" && code !== "ENOSPC" && code !== "EDQUOT") return
    throw JournalError.because(
      { _tag: "Unavailable", code },
      `journal: ${path} was made, and the disk did not confirm its name (${code}): whether it is kept is unknown`,
      error,
    )
  }
}

/** Makes a directory and those above it that are not there; the disk has confirmed them then. */
export const makeDirectory = (system: HostSystem, path: string): void => {
  const { files, path: { dirname } } = system
  if (files.statSync(path, { throwIfNoEntry: false }) !== undefined) return
  makeDirectory(system, dirname(path))
  try {
    files.mkdirSync(path)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  }
  syncDirectory(system, path)
}

/** Removes what writers that died left beside a file. Only who holds the lock may do it. */
export const removeLeftovers = (system: HostSystem, path: string): void => {
  const { files, path: { basename, dirname, join } } = system
  const name = basename(path)
  let names: ReadonlyArray<string>
  try {
    names = files.readdirSync(dirname(path))
  } catch {
    // A directory may be used and not be looked into.
    return
  }
  for (const found of names) {
    const lock = found.startsWith(`${name}.lock-`)
    if (!lock && !found.startsWith(`${name}.tmp-`)) continue
    const left = join(dirname(path), found)
    try {
      // Others may be about to take the lock: theirs are young. A wall clock, as the file's time is one.
      if (lock && Date.now() - files.statSync(left).mtimeMs < staleMillis) continue
      files.unlinkSync(left)
    } catch {
      // It is in nobody's way.
    }
  }
}

/** The path of a file whatever the working directory becomes, and whatever it is called: links are followed. */
export const resolvePath = (
  { files, path: { basename, dirname, join, resolve } }: HostSystem,
  path: string,
): string => {
  const absolute = resolve(path)
  try {
    return files.realpathSync(absolute)
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
    return join(files.realpathSync(dirname(absolute)), basename(absolute))
  }
}
