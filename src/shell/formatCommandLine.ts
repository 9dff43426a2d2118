/** Formats a command as one quoted line for people, without its secrets. */
import * as CommandLine from "effect/process/CommandLine"
import type { ShellExec } from "../command/ShellExec.ts"

/**
 * Formats the line to type for a command: quoted for a POSIX shell or for Windows, control characters escaped, secrets as
 * `<redacted>`, a script as `sh -c '…'`. For people only; do not run it.
 */
export const formatCommandLine = (exec: ShellExec, platform: "posix" | "windows" = "posix"): string => {
  const script = platform === "posix" ? ["sh", "-c"] : ["cmd", "/c"]
  const words = exec.useShell ? [...script, exec.command] : [exec.command, ...exec.arguments]
  return CommandLine.display(words, { format: platform })
}
