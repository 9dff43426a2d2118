/** Chooses the shell that runs a script: that of the system, or the portable one where the system has none. */
import { findHost } from "../host/findHost.ts"
import { hasSystemShell, systemShell } from "../host/systemShell.ts"
import type { RunnerOptions } from "./Runner.ts"

/** Chooses the shell of a script whose options name none. */
export const defaultScriptShell = (
  { defaultShell, preferPowerShell }: Pick<RunnerOptions, "defaultShell" | "preferPowerShell">,
): "system" | "portable" => {
  const host = findHost()
  if (host === undefined || defaultShell !== undefined || preferPowerShell === true) return "system"
  if (host.os === "windows") return "portable"
  // If the permission to run a shell is missing, the fault names that permission.
  return systemShell(host) === undefined || hasSystemShell(host) ? "system" : "portable"
}
