/**
 * One writer at a time, among all processes: a file beside the journal that names who writes.
 *
 * It is advice among those who ask, not a lock of the kernel, as no runtime offers one on all systems. Over a network
 * file system it holds as far as `link(2)` is atomic there, as on NFS. What another host holds, or another pid namespace
 * of this host, is never taken over: whether it still runs cannot be told from here, and a person removes the file. Hosts
 * that share a journal must have different names.
 *
 * @module
 */
import { codeOf } from "./fsError.ts"
import { currentHolder, decodeHolder, isGone, type LockHolder } from "./LockHolder.ts"
import type { HostSystem } from "./HostSystem.ts"

/** A lock that this process holds. */
export interface FileLock {
  readonly release: () => void
}

/** What came of trying to take a lock. */
export type LockResult =
  | { readonly taken: true; readonly lock: FileLock }
  | { readonly taken: false; readonly by: LockHolder | undefined; readonly self: LockHolder }

/** How old a lock that cannot be read must be: its holder may be writing it just now. */
const unreadableMillis = 10_000

/** Rounds of a race after which the other is believed to hold it. */
const maxRounds = 50

interface Found {
  readonly text: string
  readonly age: number
}

const look = (system: HostSystem, path: string): Found | undefined => {
  try {
    const { mtimeMs } = system.files.statSync(path)
    // A wall clock, as the file's time is one.
    return { text: system.readText(path), age: Date.now() - mtimeMs }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}

const remove = (system: HostSystem, path: string): void => {
  try {
    system.files.unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
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

/** Gives a file a second name; `false` when somebody has that name. */
const linkNew = (system: HostSystem, from: string, to: string, text: string): boolean => {
  try {
    system.files.linkSync(from, to)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === "EEXIST") return false
    // File systems without second names: made at once, and then written.
    if (code !== "EPERM" && code !== "ENOSYS" && code !== "ENOTSUP" && code !== "EOPNOTSUPP") throw error
  }
  try {
    writeNew(system, to, text)
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  }
}

/**
 * Tries once to take a lock; throws what the file system throws.
 *
 * It appears under its name whole, or not at all. One whose holder is gone is replaced by whoever holds a second lock,
 * beside it, and finds it unchanged then: of several who see it stale, one wins. (A third lock guards the second one in
 * the same way, if its holder died too.)
 */
export const tryLock = (system: HostSystem, path: string): LockResult => {
  const token = crypto.randomUUID()
  const self = currentHolder(system, token)
  const text = `${JSON.stringify(self)}\n`
  const own = `${path}-${token}`
  const release = (): void => {
    if (look(system, path)?.text === text) remove(system, path)
  }
  const gone = ({ age, text }: Found): boolean => {
    const holder = decodeHolder(text)
    return holder === undefined ? age > unreadableMillis : isGone(system, holder, self)
  }
  let found: Found | undefined
  try {
    writeNew(system, own, text)
    for (let round = 0; round < maxRounds; round++) {
      if (linkNew(system, own, path, text)) return { taken: true, lock: { release } }
      found = look(system, path)
      if (found === undefined) continue
      if (!gone(found)) break
      const claim = tryLock(system, `${path}.stale`)
      // Somebody else replaces it just now: the next look says who.
      if (!claim.taken) continue
      try {
        if (look(system, path)?.text !== found.text) continue
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
