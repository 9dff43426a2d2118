/**
 * Handles of processes: as long as one is open, nobody else gets the process's id.
 *
 * Source: Microsoft, "OpenProcess", "GetExitCodeProcess", "GetProcessTimes", "Process Security and Access Rights".
 *
 * @module
 */
import type { Kernel32 } from "./Kernel32.ts"

const PROCESS_TERMINATE = 0x0001
const PROCESS_SET_QUOTA = 0x0100
const PROCESS_QUERY_LIMITED_INFORMATION = 0x1000

/** What a handle is for: to be asked questions, or to be put into a job as well. */
const rights: Readonly<Record<"ask" | "assign", number>> = {
  ask: PROCESS_QUERY_LIMITED_INFORMATION,
  assign: PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SET_QUOTA | PROCESS_TERMINATE,
}

/** A handle, to be closed with `CloseHandle`; `undefined` for a process that is gone or may not be touched. */
export const openProcess = (kernel: Kernel32, pid: number, to: "ask" | "assign"): bigint | undefined => {
  const process = kernel.OpenProcess(rights[to], 0, pid)
  return process === 0n ? undefined : process
}

/** The exit code of a process that has ended, all 32 bits. */
export const exitCodeOf = (kernel: Kernel32, process: bigint): number | undefined => {
  const code = new Uint8Array(4)
  return kernel.GetExitCodeProcess(process, code) === 0 ? undefined : new DataView(code.buffer).getUint32(0, true)
}

/** When a process was started, in units of 100 ns. */
export const startOf = (kernel: Kernel32, process: bigint): bigint | undefined => {
  const created = new Uint8Array(8)
  const other = new Uint8Array(8)
  const known = kernel.GetProcessTimes(process, created, other, other, other)
  return known === 0 ? undefined : new DataView(created.buffer).getBigUint64(0, true)
}
