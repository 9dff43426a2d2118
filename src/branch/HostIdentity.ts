/** Identifies processes by machine, boot, pid namespace, process id and start time. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ProcessFacts } from "./hostFacts.ts"
import { makeHostProbe } from "./HostProbe.ts"

/**
 * Schema of a process among all processes of all machines.
 *
 * - `host`: the machine's name.
 * - `machine`: a hash of the system's machine id, which distinguishes machines of one name; Linux and macOS.
 * - `bootId`: changes with each start of the machine; Linux and macOS.
 * - `pidNamespace`: identifies containers that share process ids; `"none"` on systems without pid namespaces.
 * - `pid`: its process id; 0 in an edge isolate.
 * - `processStart`: its start time in the format of the system: ticks since the boot (Linux), a date (macOS, BSD).
 *   Where it is unknown (Windows, Deno without permissions), a `?` and a random text that differs for each process.
 *
 * Any other unknown fact is `""`. The texts are only compared.
 */
export const HostIdentity: Schema.Struct<{
  readonly host: typeof Schema.String
  readonly machine: typeof Schema.String
  readonly bootId: typeof Schema.String
  readonly pidNamespace: typeof Schema.String
  readonly pid: typeof Schema.Int
  readonly processStart: typeof Schema.String
}> = Schema.Struct({
  host: Schema.String,
  machine: Schema.String,
  bootId: Schema.String,
  pidNamespace: Schema.String,
  pid: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  processStart: Schema.String,
})

/** A process among all processes of all machines. */
export type HostIdentity = typeof HostIdentity.Type

/** Names a process in a message. */
export const nameProcess = ({ host, pid }: HostIdentity): string => `process ${pid}${host === "" ? "" : ` of ${host}`}`

const randomStart = (): string => `?${crypto.randomUUID()}`

const identify = async (): Promise<HostIdentity> => {
  const probe = makeHostProbe()
  if (probe === undefined) {
    return { host: "edge", machine: "", bootId: "", pidNamespace: "none", pid: 0, processStart: randomStart() }
  }
  const { process: { start }, ...host } = await probe.look(probe.pid)
  return { ...host, pid: probe.pid, processStart: start === "" ? randomStart() : start }
}

let own: Promise<HostIdentity> | undefined

/**
 * The process that runs the program, always the same. On Linux it is read from `/proc`; on macOS and BSD, and on Deno
 * without all permissions, `sh` is run once for it, if it may be.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { Effect } from "effect"
 *
 * const [first, second] = await Effect.runPromise(Effect.all([Branch.currentHost, Branch.currentHost]))
 * console.log(first === second && first.pid > 0) // true
 * ```
 */
export const currentHost: Effect.Effect<HostIdentity> = Effect.promise(() => own ??= identify())

/** Whether a process is alive. `unknown`: it cannot be observed from here, so only the expiry of its lease counts. */
export type Liveness = "alive" | "dead" | "unknown"

/** The pid namespace that the kernel starts with (include/linux/proc_ns.h): it is the same after each boot. */
const initialNamespace = "pid:[4026531836]"

/** Whether two identities are of one process. */
export const isSame = (a: HostIdentity, b: HostIdentity): boolean =>
  a.pid === b.pid && a.processStart === b.processStart && a.bootId === b.bootId && a.host === b.host &&
  a.machine === b.machine && a.pidNamespace === b.pidNamespace

/** Whether two processes share a process table: the same machine and the same container. */
export const sharesProcessTable = (a: HostIdentity, b: HostIdentity): boolean =>
  a.pid > 0 && b.pid > 0 && a.host !== "" && a.pidNamespace !== "" && a.host === b.host && a.machine === b.machine &&
  a.pidNamespace === b.pidNamespace

/** Whether one is another process whose death the other can observe. */
export const isVisiblePeer = (a: HostIdentity, b: HostIdentity): boolean => sharesProcessTable(a, b) && !isSame(a, b)

/** Judges the liveness of `other` from the process `me`; `seen` is what the system reports for the process id of `other`. */
export const judgeLiveness = (
  other: HostIdentity,
  me: HostIdentity,
  seen: ProcessFacts,
): Liveness => {
  if (isSame(other, me)) return "alive"
  if (!sharesProcessTable(other, me)) return "unknown"
  const hasBoot = other.bootId !== "" && me.bootId !== ""
  if (hasBoot && other.bootId !== me.bootId) {
    // After a boot a container's namespace may have any number, even a reused one.
    return me.pidNamespace === "none" || me.pidNamespace === initialNamespace ? "dead" : "unknown"
  }
  if (seen.state === "gone" || seen.state === "zombie") return "dead"
  if (seen.start === "" || other.processStart.startsWith("?")) return "unknown"
  // Linux counts from the boot: if the boot is unknown, equal numbers prove nothing.
  if (!hasBoot && me.pidNamespace !== "none") return "unknown"
  return seen.start === other.processStart ? "alive" : "dead"
}

/**
 * Whether a process is alive, as seen from this one.
 *
 * - `alive`: it is this process, or one of this machine with the same id and start. A process that is stopped is alive.
 * - `dead`: it is of this machine, and its id is free or belongs to a process with another start time, or it is a zombie, or
 *   the machine was booted since.
 * - `unknown`: it is of another machine or container (also when that has the same name), or its start is unknown. Also in an
 *   edge isolate, and on Windows whenever the process id is in use.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { Effect } from "effect"
 *
 * const liveness = await Effect.runPromise(Effect.flatMap(Branch.currentHost, Branch.checkLiveness))
 * console.log(liveness) // alive
 * ```
 */
export const checkLiveness = (identity: HostIdentity): Effect.Effect<Liveness> =>
  Effect.flatMap(currentHost, (me) => {
    const probe = makeHostProbe()
    if (probe === undefined || isSame(identity, me)) {
      return Effect.succeed(judgeLiveness(identity, me, { state: "hidden", start: "" }))
    }
    return Effect.map(
      Effect.promise((signal) => probe.look(identity.pid, signal)),
      (facts) => judgeLiveness(identity, me, facts.process),
    )
  })
