/**
 * Who holds a lock, written so that others can tell whether it still runs.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { codeOf } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"

/** The fields of {@link LockHolder}, as Schemas. */
type Fields = {
  readonly pid: typeof Schema.Int
  /** When the process started, in clock ticks since the boot: a pid is given again, a pair of both is not. */
  readonly start: Schema.optionalKey<typeof Schema.String>
  /** Which boot of the machine. */
  readonly boot: Schema.optionalKey<typeof Schema.String>
  /** Which pid namespace: a pid means nothing in another. */
  readonly namespace: Schema.optionalKey<typeof Schema.String>
  readonly host: typeof Schema.String
  /** Tells two locks of one process apart. */
  readonly token: typeof Schema.String
}

const LockHolder: Schema.Struct<Fields> = Schema.Struct({
  pid: Schema.Int,
  start: Schema.optionalKey(Schema.String),
  boot: Schema.optionalKey(Schema.String),
  namespace: Schema.optionalKey(Schema.String),
  host: Schema.String,
  token: Schema.String,
})

/** Who holds a lock. */
export type LockHolder = typeof LockHolder.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(LockHolder))

/** The holder that a lock names, if it can be read. */
export const decodeHolder = (text: string): LockHolder | undefined => Option.getOrUndefined(decode(text))

const attempt = (read: () => string): string | undefined => {
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

/** The state and the start time of a process, on Linux. Source: proc_pid_stat(5), fields 3 and 22. */
const stateOf = (system: HostSystem, pid: number | "self"): ProcessState | undefined => {
  const text = attempt(() => system.readText(`/proc/${pid}/stat`))
  // The second field is the program's name in parentheses, and may hold spaces and parentheses itself.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ") ?? []
  const [state, start] = [fields[0], fields[19]]
  return state === undefined || start === undefined ? undefined : { state, start }
}

/** This process, as the holder of one lock. */
export const currentHolder = (system: HostSystem, token: string): LockHolder => {
  const start = stateOf(system, "self")?.start
  const boot = attempt(() => system.readText("/proc/sys/kernel/random/boot_id").trim())
  const namespace = attempt(() => system.files.readlinkSync("/proc/self/ns/pid"))
  return {
    pid: system.pid,
    ...(start === undefined ? undefined : { start }),
    ...(boot === undefined ? undefined : { boot }),
    ...(namespace === undefined ? undefined : { namespace }),
    host: system.host,
    token,
  }
}

const differ = (a: string | undefined, b: string | undefined): boolean => a !== undefined && b !== undefined && a !== b

/**
 * Whether a holder is certainly gone. Not so where it cannot be told: on another host, or in another pid namespace of
 * this one. (A host that has booted since then has ended all it ran.)
 */
export const isGone = (system: HostSystem, holder: LockHolder, self: LockHolder): boolean => {
  if (holder.host !== self.host) return false
  if (differ(holder.boot, self.boot)) return true
  if (differ(holder.namespace, self.namespace)) return false
  try {
    system.kill(holder.pid, 0)
  } catch (error) {
    // Another error says that it is there: it is another user's.
    if (codeOf(error) === "ESRCH") return true
  }
  const found = stateOf(system, holder.pid)
  if (found === undefined) return false
  // A zombie runs no more, even where nobody reaps it.
  return found.state === "Z" || found.state === "X" || differ(holder.start, found.start)
}

/** A holder in words. */
export const describeHolder = ({ host, pid }: LockHolder, self: LockHolder): string =>
  host === self.host ? `process ${pid}` : `process ${pid} on ${host}`
