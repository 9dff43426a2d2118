/**
 * Describes the process that holds a lock, and tests whether that process still runs.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { defined } from "../../../base/defined.ts"
import { readErrorCode } from "../../../base/readErrorCode.ts"
import type { HostSystem } from "./HostSystem.ts"

const LockHolder: Schema.Struct<{
  readonly pid: typeof Schema.Int
  /** Start time of the process, in clock ticks since the boot: pids are reused, pairs of pid and start time are not. */
  readonly start: Schema.optionalKey<typeof Schema.String>
  /** Identifies the boot of the machine. */
  readonly boot: Schema.optionalKey<typeof Schema.String>
  /** The pid namespace: the pid is meaningless in another one. */
  readonly namespace: Schema.optionalKey<typeof Schema.String>
  readonly host: typeof Schema.String
  /** Distinguishes locks of one process. */
  readonly token: typeof Schema.String
}> = Schema.Struct({
  pid: Schema.Int,
  start: Schema.optionalKey(Schema.String),
  boot: Schema.optionalKey(Schema.String),
  namespace: Schema.optionalKey(Schema.String),
  host: Schema.String,
  token: Schema.String,
})

/** The process that holds a lock. */
export type LockHolder = typeof LockHolder.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(LockHolder))

/** Decodes the holder from the text of a lock file; `undefined` when it is not valid. */
export const decodeHolder = (text: string): LockHolder | undefined => Option.getOrUndefined(decode(text))

const tryRead = (read: () => string): string | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

interface ProcessState {
  readonly state: string
  readonly start: string
}

/** Reads the state and the start time of a process, on Linux. Source: proc_pid_stat(5), fields 3 and 22. */
const readState = (system: HostSystem, pid: number | "self"): ProcessState | undefined => {
  const text = tryRead(() => system.readText(`/proc/${pid}/stat`))
  // The second field is the program's name in parentheses, which may contain spaces and parentheses.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ") ?? []
  const [state, start] = [fields[0], fields[19]]
  return state === undefined || start === undefined ? undefined : { state, start }
}

/** Describes this process as the holder of a lock. */
export const currentHolder = (system: HostSystem, token: string): LockHolder => {
  const start = readState(system, "self")?.start
  const boot = tryRead(() => system.readText("/proc/sys/kernel/random/boot_id").trim())
  const namespace = tryRead(() => system.files.readlinkSync("/proc/self/ns/pid"))
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
  // A zombie does not run any more, even if it is never reaped.
  return found.state === "Z" || found.state === "X" || differ(holder.start, found.start)
}

/** A holder as text for messages. */
export const describeHolder = ({ host, pid }: LockHolder, self: LockHolder): string =>
  host === self.host ? `process ${pid}` : `process ${pid} on ${host}`
