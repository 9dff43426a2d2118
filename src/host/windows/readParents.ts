/**
 * Reads the parent of every process on Windows from a snapshot.
 *
 * Source: Microsoft, "Taking a Snapshot and Viewing Processes", "PROCESSENTRY32W".
 */
import type { Kernel32 } from "./Kernel32.ts"

const TH32CS_SNAPPROCESS = 2
const INVALID_HANDLE_VALUE = 0xffff_ffff_ffff_ffffn

/** sizeof(PROCESSENTRY32W), and the offsets of the two ids (64-bit). */
const entryBytes = 568
const pidAt = 8
const parentAt = 32

/** Reads the parent's id of each process. The id of a parent that has ended may have been reused. */
export const readParents = (kernel: Kernel32): ReadonlyMap<number, number> => {
  const parents = new Map<number, number>()
  const snapshot = kernel.CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0)
  if (BigInt.asUintN(64, snapshot) === INVALID_HANDLE_VALUE) return parents
  const entry = new Uint8Array(entryBytes)
  const view = new DataView(entry.buffer)
  view.setUint32(0, entryBytes, true)
  for (
    let more = kernel.Process32FirstW(snapshot, entry);
    more !== 0;
    more = kernel.Process32NextW(snapshot, entry)
  ) parents.set(view.getUint32(pidAt, true), view.getUint32(parentAt, true))
  kernel.CloseHandle(snapshot)
  return parents
}
