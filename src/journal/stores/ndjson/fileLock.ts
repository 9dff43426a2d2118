/**
 * Takes an advisory lock on a journal file by a second file that names the holding process, and takes over the lock of
 * a process that has ended.
 *
 * No runtime offers a kernel lock on all systems. Over a network file system it works where `link(2)` is atomic, as on
 * NFS. A lock of another host, or of another pid namespace, is never taken over, because its holder's state is unknown:
 * a person removes the file. Hosts that share a journal must have different names.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { defined } from "../../../base/defined.ts"
import { isDeadState, procStatFields } from "../../../base/procStat.ts"
import { readErrorCode } from "../../../base/readErrorCode.ts"
import { resultOrUndefined } from "../../../base/resultOrUndefined.ts"
import type { HostSystem } from "./HostSystem.ts"

export interface LockHolder {
  readonly pid: number
  /** Start time of the process, in clock ticks since the boot: pids are reused, pairs of pid and start time are not. */
  readonly start?: string
  readonly boot?: string
  /** The pid namespace: a pid is meaningless in another namespace. */
  readonly namespace?: string
  readonly host: string
  /** Distinguishes locks of one process. */
  readonly token: string
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({
  pid: Schema.Int,
  start: Schema.optionalKey(Schema.String),
  boot: Schema.optionalKey(Schema.String),
  namespace: Schema.optionalKey(Schema.String),
  host: Schema.String,
  token: Schema.String,
})))

const decodeHolder = (text: string): LockHolder | undefined => Option.getOrUndefined(decode(text))

interface ProcessState {
  readonly state: string
  readonly start: string
}

/** Reads the state and the start time of a process, on Linux. Source: proc_pid_stat(5), fields 3 and 22. */
const readState = (system: HostSystem, pid: number | "self"): ProcessState | undefined => {
  const fields = procStatFields(resultOrUndefined(() => system.readText(`/proc/${pid}/stat`)) ?? "")
  const [state, start] = [fields[0], fields[19]]
  return state === undefined || start === undefined ? undefined : { state, start }
}

export const currentHolder = (system: HostSystem, token: string): LockHolder => {
  const start = readState(system, "self")?.start
  const boot = resultOrUndefined(() => system.readText("/proc/sys/kernel/random/boot_id").trim())
  const namespace = resultOrUndefined(() => system.files.readlinkSync("/proc/self/ns/pid"))
  return {
    pid: system.pid,
    ...defined({ start, boot, namespace }),
    host: system.host,
    token,
  }
}

const differ = (a: string | undefined, b: string | undefined): boolean => a !== undefined && b !== undefined && a !== b

/**
 * Whether a holder has certainly ended: its pid is unused or reused, or the host has booted since. `false` where that is
 * unknown: on another host, or in another pid namespace.
 */
export const hasEnded = (system: HostSystem, holder: LockHolder, self: LockHolder): boolean => {
  if (holder.host !== self.host) return false
  if (differ(holder.boot, self.boot)) return true
  if (differ(holder.namespace, self.namespace)) return false
  try {
    system.kill(holder.pid, 0)
  } catch (error) {
    // With any other error the process exists, but belongs to another user.
    if (readErrorCode(error) === "ESRCH") return true
  }
  const found = readState(system, holder.pid)
  if (found === undefined) return false
  return isDeadState(found.state) || differ(holder.start, found.start)
}

export const describeHolder = ({ host, pid }: LockHolder, self: LockHolder): string =>
  host === self.host ? `process ${pid}` : `process ${pid} on ${host}`

export interface FileLock {
  readonly release: () => void
}

export type LockResult =
  | { readonly taken: true; readonly lock: FileLock }
  | { readonly taken: false; readonly by: LockHolder | undefined; readonly self: LockHolder }

/** Minimum age in milliseconds at which an invalid lock file is taken over: its holder may be writing it. */
const minInvalidAgeMillis = 10_000

const maxAttempts = 50

interface LockFile {
  readonly text: string
  readonly ageMillis: number
}

const readLock = (system: HostSystem, path: string): LockFile | undefined => {
  try {
    const { mtimeMs } = system.files.statSync(path)
    // The wall clock, because the file's time is of the wall clock.
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
 * The lock file appears complete, by a link. A stale lock is replaced by the process that holds a second lock next to
 * it and finds the file unchanged: of several processes that find the lock stale, one wins. (A third lock guards the
 * second one in the same way, if its holder died too.)
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
    return holder === undefined ? ageMillis > minInvalidAgeMillis : hasEnded(system, holder, self)
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
