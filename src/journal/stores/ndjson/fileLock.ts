/**
 * Takes an advisory lock among processes: a file that names its holder, taken over when the holder has ended.
 *
 * No runtime offers a kernel lock on all systems. Over a network file system it works where `link(2)` is atomic, as on
 * NFS. A lock of another host, or of another pid namespace, is never taken over, because its holder's state is unknown:
 * a person removes the file. Hosts that share a journal must have different names.
 *
 * @module
 */
import { readErrorCode } from "../../../base/readErrorCode.ts"
import { currentHolder, decodeHolder, hasEnded, type LockHolder } from "./LockHolder.ts"
import type { HostSystem } from "./HostSystem.ts"

/** A lock that this process holds. */
export interface FileLock {
  readonly release: () => void
}

/** The result of {@link tryLock}. */
export type LockResult =
  | { readonly taken: true; readonly lock: FileLock }
  | { readonly taken: false; readonly by: LockHolder | undefined; readonly self: LockHolder }

/** Minimum age in milliseconds at which an invalid lock file is taken over: its holder may be writing it. */
const maxInvalidMillis = 10_000

/** Maximum number of attempts in a race with other processes. */
const maxAttempts = 50

interface LockFile {
  readonly text: string
  readonly ageMillis: number
}

const readLock = (system: HostSystem, path: string): LockFile | undefined => {
  try {
    const { mtimeMs } = system.files.statSync(path)
    // A wall clock, as the file's time is one.
    return { text: system.readText(path), ageMillis: Date.now() - mtimeMs }
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return undefined
    throw error
  }
}

const remove = (system: HostSystem, path: string): void => {
  try {
    system.files.unlinkSync(path)
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error
  }
}

const writeNew = (system: HostSystem, path: string, text: string): void => {
  const { closeSync, openSync, writeSync } = system.files
  const descriptor = openSync(path, "wx", 0o600)
  try {
    writeSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}

/** Links a file to a new name; returns `false` when the name exists. */
const linkNew = (system: HostSystem, from: string, to: string, text: string): boolean => {
  try {
    system.files.linkSync(from, to)
    return true
  } catch (error) {
    const code = readErrorCode(error)
    if (code === "EEXIST") return false
    // File systems without hard links: created exclusively, then written.
    if (code !== "EPERM" && code !== "ENOSYS" && code !== "ENOTSUP" && code !== "EOPNOTSUPP") throw error
  }
  try {
    writeNew(system, to, text)
    return true
  } catch (error) {
    if (readErrorCode(error) === "EEXIST") return false
    throw error
  }
}

/**
 * Tries once to take a lock. Throws what the file system throws.
 *
 * The lock file appears complete, by a link. A stale one is replaced by the process that holds a second lock beside it
 * and finds the file unchanged: of several processes that see it stale, one wins. (A third lock guards the second one in
 * the same way, if its holder died too.)
 */
export const tryLock = (system: HostSystem, path: string): LockResult => {
  const token = crypto.randomUUID()
  const self = currentHolder(system, token)
  const text = `${JSON.stringify(self)}\n`
  const own = `${path}-${token}`
  const release = (): void => {
    if (readLock(system, path)?.text === text) remove(system, path)
  }
  const isStale = ({ ageMillis, text }: LockFile): boolean => {
    const holder = decodeHolder(text)
    return holder === undefined ? ageMillis > maxInvalidMillis : hasEnded(system, holder, self)
  }
  let found: LockFile | undefined
  try {
    writeNew(system, own, text)
    for (let attempts = 0; attempts < maxAttempts; attempts++) {
      if (linkNew(system, own, path, text)) return { taken: true, lock: { release } }
      found = readLock(system, path)
      if (found === undefined) continue
      if (!isStale(found)) break
      const claim = tryLock(system, `${path}.stale`)
      // Another process is replacing it: the next attempt sees the result.
      if (!claim.taken) continue
      try {
        if (readLock(system, path)?.text !== found.text) continue
        system.files.renameSync(own, path)
        return { taken: true, lock: { release } }
      } finally {
        claim.lock.release()
      }
    }
    return { taken: false, by: found === undefined ? undefined : decodeHolder(found.text), self }
  } finally {
    remove(system, own)
  }
}
