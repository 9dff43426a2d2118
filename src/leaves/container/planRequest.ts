/** Plans the request that a session gets for a command, or refuses the command. */
import * as Result from "effect/Result"
import { quote } from "../../base/quote.ts"
import { isSecret, reveal } from "../../command/Secret.ts"
import type { CommandLimits } from "../../command/CommandLimits.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { Terminal } from "../../command/Terminal.ts"
import { validateExec } from "../../shell/validateExec.ts"
import { areTooLong, explainTooLong } from "../../host/faults/argumentLimit.ts"
import { markerName } from "../../host/runMarker.ts"
import { faultOfRequest } from "./containerFaults.ts"
import type { ContainerShellSettings } from "./ContainerSettings.ts"
import { isShellName } from "../../host/systemShell.ts"
import type { SessionRequest } from "./sessionScript.ts"

/** The limits of a command that `ulimit` of every shell sets exactly. */
export const enforcedLimits: ReadonlyArray<keyof CommandLimits> = ["memoryBytes", "cpuSeconds"]

/** Linux: bytes of arguments and variables together (execve(2)), for a stack of 8 MiB. */
const maxBytes = 2_097_152

/** The directory of a command: absolute, empty for the container's, or relative to it with a dot. */
const directoryOf = ({ workingDirectory }: ShellExec, { cwd }: ContainerShellSettings): string => {
  if (workingDirectory === undefined) return cwd ?? ""
  if (workingDirectory.startsWith("/")) return workingDirectory
  return `${cwd ?? "."}/${workingDirectory}`
}

/** The part of a run that is known before it starts. */
export interface RunPlan {
  /** Marks the processes of the run. */
  readonly marker: string
  /** Whether the session ends with it. */
  readonly once: boolean
  /** Whether the command has input. */
  readonly stdin: boolean
  readonly terminal: Terminal | undefined
}

export const planRequest = (
  exec: ShellExec,
  settings: ContainerShellSettings,
  { marker, once, stdin, terminal }: RunPlan,
): Result.Result<SessionRequest, ShellFault> => {
  const invalid = validateExec(exec)
  if (invalid !== undefined) return Result.fail(invalid)
  const { cwd, defaultShell, env, extendEnv, localBin } = settings
  const program = exec.command.includes("/") && !exec.command.startsWith("/") && cwd !== undefined
    ? `${cwd}/${exec.command}`
    : exec.command
  const words = exec.useShell
    ? [defaultShell, "-c", exec.command]
    : [program, ...exec.arguments.map((word) => reveal(word) ?? "")]
  const inherit = exec.inheritEnvironment ?? extendEnv
  const variables = new Map<string, string | null>()
  for (const [name, value] of [...(inherit ? Object.entries(env) : []), ...Object.entries(exec.environment ?? {})]) {
    variables.set(name, value === null ? null : reveal(value) ?? "")
  }
  if (terminal !== undefined) variables.set("TERM", terminal.term ?? variables.get("TERM") ?? "xterm-256color")
  const assignments = [...variables].map(([name, value]) => `${name}=${value ?? ""}`)
  if (areTooLong([...words, ...assignments], maxBytes)) {
    const { issue, reason } = explainTooLong(exec, "E2BIG", maxBytes)
    return Result.fail(ShellFault.because(exec.commandId, reason, `exec: ${issue} (E2BIG)`))
  }
  // A shell cannot set variables with such names, so they go through env(1), whose arguments are visible in the process
  // list.
  const others = [...variables].filter(([name]) => !isShellName(name))
  for (const [name, value] of others) {
    const given = exec.environment?.[name]
    if (value === null || isSecret(given)) {
      const what = value === null ? "be removed" : "be a secret"
      return Result.fail(faultOfRequest(
        exec,
        "environment",
        `the variable ${quote(name)} cannot ${what} in a container: only letters, digits and "_" can be in its name`,
        "ENOTSUP",
      ))
    }
    variables.delete(name)
  }
  const { limits = {} } = exec
  const refused = (["processes", "fileSizeBytes"] as const).find((name) => limits[name] !== undefined)
  if (refused !== undefined) {
    return Result.fail(faultOfRequest(
      exec,
      `limits.${refused}`,
      `the limit ${refused} cannot be enforced for one command in a container: set the limits of the leaf`,
      "ENOTSUP",
    ))
  }
  variables.set(markerName, marker)
  return Result.succeed({
    id: crypto.randomUUID(),
    words: others.length === 0 ? words : ["env", ...others.map(([name, value]) => `${name}=${value ?? ""}`), ...words],
    directory: directoryOf(exec, settings),
    variables,
    clear: !inherit,
    // The input of a terminal is open as long as the terminal is.
    stdin: stdin || terminal !== undefined,
    once: once || terminal !== undefined,
    mergeStreams: exec.mergeStreams === true,
    localBin: exec.localBin ?? localBin,
    limits,
  })
}
