/**
 * Declares facts about a machine and a process, and parses them from `/proc/PID/stat`, `ps` and the machine id.
 *
 * Source: proc_pid_stat(5), ps(1), machine-id(5).
 */
import { isDeadState, procStatFields } from "../base/procStat.ts"
import { sha256 } from "../base/sha256.ts"

/** Facts about a process; `start` is `""` where it is unknown. */
export interface ProcessFacts {
  /** `hidden`: the id is in use, and nothing else is visible. */
  readonly state: "runs" | "zombie" | "gone" | "hidden"
  readonly start: string
}

/** Facts about the machine; unknown ones are `""`. */
export interface HostFacts {
  readonly host: string
  readonly machine: string
  readonly bootId: string
  /** `"none"` on a system without pid namespaces. */
  readonly pidNamespace: string
  readonly process: ProcessFacts
}

export const unknownFacts: HostFacts = {
  host: "",
  machine: "",
  bootId: "",
  pidNamespace: "",
  process: { state: "hidden", start: "" },
}

/** Parses fields 3 and 22 of `/proc/PID/stat`. */
export const parseProcStat = (stat: string): ProcessFacts | undefined => {
  const fields = procStatFields(stat)
  if (fields.length === 0) return undefined
  return { state: isDeadState(fields[0]) ? "zombie" : "runs", start: fields[19] ?? "" }
}

/** Parses a line of `ps -o state=,lstart=`. The date stays the same when the clock is set. */
export const parsePs = (line: string): ProcessFacts | undefined => {
  const [state = "", ...start] = line.trim().split(/\s+/)
  return state === "" ? undefined : { state: state.startsWith("Z") ? "zombie" : "runs", start: start.join(" ") }
}

/** Hashes the id of the machine, which must not be published as it is (machine-id(5)). */
export const hashMachineId = (id: string | undefined): string => {
  const text = (id ?? "").trim()
  return text === "" || text === "uninitialized" ? "" : sha256(`sluice host ${text}`).slice(0, 32)
}
