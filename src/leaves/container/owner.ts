/**
 * Identifies the process that makes containers, and checks whether the process of a label is still alive.
 *
 * A process id alone may be reused, so the identity has the id of the machine's boot, the pid namespace, and the time at
 * which the process started. Where `/proc` cannot be read (macOS, Windows), only the process id is compared.
 *
 * Source: proc_pid_stat(5), random(4), pid_namespaces(7).
 */
import type { Host } from "../../host/Host.ts"
import type { Labels } from "./engineCommand.ts"

/** The label with the random id of the leaf that owns a container. */
export const ownerLabel = "dev.sluice.owner"
/** The label with the machine, its boot and the pid namespace of the owner. */
export const hostLabel = "dev.sluice.host"
/** The label with the process id of the owner and its start time. */
export const processLabel = "dev.sluice.process"

/** The start time of a process in ticks since the boot. */
const startOf = (host: Host, pid: number): string =>
  host.readText(`/proc/${pid}/stat`)?.replace(/^.*\) /, "").split(" ")[19] ?? ""

/** Identifies this machine, as this process sees it. */
export const hostId = (host: Host): string => {
  const boot = host.readText("/proc/sys/kernel/random/boot_id")?.trim() ?? host.os
  // The device and the inode; the time of such a file is the time of the call.
  const namespace = host.identity("/proc/self/ns/pid")?.split(":").slice(0, 2).join(":") ?? ""
  return `${boot}/${namespace}`.replaceAll(/[^\w./:-]/g, "_")
}

export const ownerLabels = (host: Host, owner: string): Labels => ({
  [ownerLabel]: owner,
  [hostLabel]: hostId(host),
  [processLabel]: `${host.pid}:${startOf(host, host.pid)}`,
})

/** Whether the process of a label is certainly gone. The label must be one of this machine. */
export const isGone = (host: Host, process: string): boolean => {
  const [id = "", start = ""] = process.split(":")
  const pid = Number(id)
  if (!Number.isInteger(pid) || pid <= 0) return false
  if (start !== "" && host.readsProc) return startOf(host, pid) !== start
  return host.signal?.(pid, 0) === "gone"
}
