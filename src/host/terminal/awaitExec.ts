/** Waits until a forked process executes its program. */
import type { Host } from "../Host.ts"

/** Only a stuck machine takes longer. */
const maxMillis = 5_000

/**
 * Waits until the process has its own environment instead of this program's. Until then it may not have opened its
 * program and its directory, which the caller holds only until the start.
 */
export const awaitExec = async (host: Host, pid: number, hasExited: () => boolean): Promise<void> => {
  if (!host.readsProc) return
  const own = host.readText("/proc/self/environ")
  const isForked = (): boolean => {
    const environment = host.readText(`/proc/${pid}/environ`)
    // Unreadable: the process already runs as another user. Empty: it is in the middle of execve(2), or has ended.
    return environment !== undefined && (environment === own || environment === "")
  }
  for (const end = performance.now() + maxMillis; !hasExited() && isForked() && performance.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
