/**
 * Reads the names and the boot id of this machine, and the state and start time of a process.
 *
 * Linux has them in `/proc`, which Deno opens only to programs with all permissions; otherwise, and on macOS and BSD, a `sh`
 * script reads them. Windows has only the host name and whether the process exists.
 *
 * Source: proc_sys_kernel(5), pid_namespaces(7), kill(2).
 */
import { makeShellQuery, parseScriptOutput } from "./shellQuery.ts"
import { hashMachineId, type HostFacts, parseProcStat, unknownFacts } from "./hostFacts.ts"
import type { NodeBuiltins } from "../base/nodeBuiltins.ts"
import { resultOrUndefined } from "../base/resultOrUndefined.ts"
import { type Deno, findDeno, findProcess, isGranted } from "./runtimeProcess.ts"

export interface HostProbe {
  readonly pid: number
  /** Reads the facts about the machine and the process with this id. Never rejects. */
  readonly look: (pid: number, signal?: AbortSignal) => Promise<HostFacts>
}

const isGone = (process: NodeBuiltins, pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return typeof error === "object" && error !== null && "code" in error && error.code === "ESRCH"
  }
}

const readProc = (process: NodeBuiltins, deno: Deno | undefined): ((pid: number) => HostFacts) | undefined => {
  if (process.platform !== "linux" || !isGranted(deno, "read", { path: "/proc" })) return undefined
  const fs = process.getBuiltinModule("node:fs")
  const read = (path: string): string | undefined => resultOrUndefined(() => fs.readFileSync(path, "utf8"))
  if (read("/proc/sys/kernel/random/boot_id") === undefined) return undefined
  return (pid) => ({
    host: (read("/proc/sys/kernel/hostname") ?? "").trim(),
    machine: hashMachineId(isGranted(deno, "read", { path: "/etc/machine-id" }) ? read("/etc/machine-id") : undefined),
    bootId: (read("/proc/sys/kernel/random/boot_id") ?? "").trim(),
    pidNamespace: resultOrUndefined(() => fs.readlinkSync("/proc/self/ns/pid")) ?? "",
    process: parseProcStat(read(`/proc/${pid}/stat`) ?? "") ??
      // Hidden is not gone: /proc may show each user only their own processes (hidepid).
      { state: isGone(process, pid) ? "gone" : "hidden", start: "" },
  })
}

const onWindows = (process: NodeBuiltins, deno: Deno | undefined) => (pid: number): HostFacts => ({
  ...unknownFacts,
  host: isGranted(deno, "sys", { kind: "hostname" })
    ? resultOrUndefined(() => process.getBuiltinModule("node:os").hostname()) ?? ""
    : "",
  pidNamespace: "none",
  process: { state: isGone(process, pid) ? "gone" : "hidden", start: "" },
})

export const makeHostProbe = (): HostProbe | undefined => {
  const process = findProcess()
  if (process === undefined) return undefined
  const deno = findDeno()
  const direct = process.platform === "win32"
    ? onWindows(process, deno)
    : resultOrUndefined(() => readProc(process, deno))
  if (direct !== undefined) return { pid: process.pid, look: (pid) => Promise.resolve(direct(pid)) }
  const ask = resultOrUndefined(() => makeShellQuery(process, deno))
  return {
    pid: process.pid,
    look: (pid, signal) =>
      ask === undefined ? Promise.resolve(unknownFacts) : ask(pid, signal).then(parseScriptOutput, () => unknownFacts),
  }
}
