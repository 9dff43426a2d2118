/**
 * Opens process handles and reads exit codes and start times; an open handle keeps the process's id from being reused.
 *
 * Source: Microsoft, "OpenProcess", "GetExitCodeProcess", "GetProcessTimes", "Process Security and Access Rights".
 */
import type { Kernel32 } from "./Kernel32.ts"

const PROCESS_TERMINATE = 0x0001
const PROCESS_SET_QUOTA = 0x0100
const PROCESS_QUERY_LIMITED_INFORMATION = 0x1000

/** Access rights of a handle: to query the process, or to put it into a job as well. */
const rights: Readonly<Record<"query" | "assign", number>> = {
  query: PROCESS_QUERY_LIMITED_INFORMATION,
  assign: PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SET_QUOTA | PROCESS_TERMINATE,
}

/** Opens a handle, to be closed with `CloseHandle`; `undefined` if the process has ended or access is denied. */
export const openProcess = (kernel: Kernel32, pid: number, to: "query" | "assign"): bigint | undefined => {
  const process = kernel.OpenProcess(rights[to], 0, pid)
  return process === 0n ? undefined : process
}

/** Reads the 32-bit exit code of a process that has ended. */
export const exitCodeOf = (kernel: Kernel32, process: bigint): number | undefined => {
  const code = new Uint8Array(4)
  return kernel.GetExitCodeProcess(process, code) === 0 ? undefined : new DataView(code.buffer).getUint32(0, true)
}

/** Reads the start time of a process, in units of 100 ns. */
export const startOf = (kernel: Kernel32, process: bigint): bigint | undefined => {
  const created = new Uint8Array(8)
  const other = new Uint8Array(8)
  const known = kernel.GetProcessTimes(process, created, other, other, other)
  return known === 0 ? undefined : new DataView(created.buffer).getBigUint64(0, true)
}
