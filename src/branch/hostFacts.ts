/**
 * Parses what the operating system reports about a machine and its processes.
 *
 * Source: proc_pid_stat(5), ps(1), machine-id(5).
 *
 * @module
 */
import { sha256 } from "../base/sha256.ts"

/** What is to be seen of a process; `start` is `""` where it cannot be told. */
export interface ProcessFacts {
  /** `hidden`: somebody has the id, and that is all there is to be seen. */
  readonly state: "runs" | "zombie" | "gone" | "hidden"
  readonly start: string
}

/** What is known of the machine; `""` is what cannot be told. */
export interface HostFacts {
  readonly host: string
  readonly machine: string
  readonly bootId: string
  /** `"none"` on a system that has no such thing. */
  readonly pidNamespace: string
  readonly process: ProcessFacts
}

/** Nothing can be seen. */
export const unknownFacts: HostFacts = {
  host: "",
  machine: "",
  bootId: "",
  pidNamespace: "",
  process: { state: "hidden", start: "" },
}

/** Fields 3 and 22 of `/proc/PID/stat`; the name, field 2, may hold anything. */
export const parseProcStat = (stat: string): ProcessFacts | undefined => {
  const close = stat.lastIndexOf(")")
  if (close < 0) return undefined
  const fields = stat.slice(close + 2).trim().split(" ")
  return { state: fields[0] === "Z" || fields[0] === "X" ? "zombie" : "runs", start: fields[19] ?? "" }
}

/** What `ps -o state=,lstart=` says. The date stays the same when the clock is set. */
export const parsePs = (line: string): ProcessFacts | undefined => {
  const [state = "", ...start] = line.trim().split(/\s+/)
  return state === "" ? undefined : { state: state.startsWith("Z") ? "zombie" : "runs", start: start.join(" ") }
}

/** A name for the machine of its id, which machine-id(5) wants to be shown to nobody as it is. */
export const hashMachineId = (id: string | undefined): string => {
  const text = (id ?? "").trim()
  return text === "" || text === "uninitialized" ? "" : sha256(`sluice host ${text}`).slice(0, 32)
}
