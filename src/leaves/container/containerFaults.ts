/** Makes the faults of commands in containers: of the engine, the image, the container and the command. */
import * as Effect from "effect/Effect"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { ExitFault, ExitStatus } from "../../shell/SpawnedProcess.ts"
import { errorCode } from "../../host/faults/errorCode.ts"
import type { Host } from "../../host/Host.ts"
import { describeRefusal } from "../../sh-session/describeRefusal.ts"
import type { ContainerShellSettings, ContainerTarget, Engine } from "./ContainerSettings.ts"
import { imagesArguments, stateArguments } from "./engineCommand.ts"
import { runEngine } from "./runEngine.ts"
import type { SessionEnd } from "./SessionCommand.ts"

/** Maximum length of an engine's output in a message. */
const maxTextLength = 2_000

const faultOf = (exec: ShellExec, reason: FaultReason, what: string, code: string, exception?: unknown): ShellFault =>
  ShellFault.because(exec.commandId, reason, `exec: ${what} (${code})`, exception === undefined ? {} : { exception })

/** A reason that concerns one field of the command. */
export const faultOfRequest = (exec: ShellExec, field: string, what: string, code: string): ShellFault =>
  faultOf(exec, { _tag: "InvalidRequest", field, code }, what, code)

/** The reason why an engine's call failed. */
export interface EngineProblem {
  readonly reason: FaultReason
  readonly what: string
  readonly code: string
  readonly exception?: unknown
}

export const explainEngine = ({ kind, program }: Engine, error: unknown): EngineProblem => {
  const code = errorCode(error, "posix") ?? "UNKNOWN"
  return code === "ENOENT"
    ? {
      reason: { _tag: "NotFound", what: "engine", path: program, code },
      what: `the engine ${program} was not found: install ${kind}, or name its program with the option program`,
      code,
      exception: error,
    }
    : {
      reason: code === "EACCES" || code === "EPERM" || code === "NotCapable"
        ? { _tag: "PermissionDenied", path: program, code }
        : { _tag: "Unknown", code },
      what: `the engine ${program} cannot be started: allow this program to run it`,
      code,
      exception: error,
    }
}

export const faultOfProblem = (exec: ShellExec, { code, exception, reason, what }: EngineProblem): ShellFault =>
  faultOf(exec, reason, what, code, exception)

/** The engine's message, without control characters and overlong lines. */
const shorten = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}]+/gu, " ").trim()
  return line.length <= maxTextLength ? line : `${line.slice(0, maxTextLength)}...`
}

/** Finds out why a client of an engine ended before it started anything. `made`: the container that was made before. */
export const explainStart = (
  host: Host,
  { container, engine, existing }: ContainerTarget,
  exitCode: number,
  text: string,
  made?: string,
): Effect.Effect<EngineProblem> =>
  Effect.gen(function* () {
    const { kind, program } = engine
    const run = (args: ReadonlyArray<string>) => runEngine(host, program, args)
    const missing = (kind: "image" | "container", path: string, what: string): EngineProblem => ({
      reason: { _tag: "NotFound", what: kind, path, code: "ENOENT" },
      what,
      code: "ENOENT",
      exception: shorten(text),
    })
    const image = container?.image
    if (image !== undefined && container?.pull === "never") {
      const images = yield* run(imagesArguments(engine, image))
      if (images.exitCode === 0 && images.stdout.trim() === "") {
        const advice = `run "${kind} pull ${image}", or set the option pull to "missing"`
        return missing("image", image, `the image ${image} is not on this machine: ${advice}`)
      }
    }
    const used = existing ?? made
    if (used !== undefined) {
      const inspected = yield* run(stateArguments(engine, used))
      const state = inspected.exitCode === 0 ? inspected.stdout.trim() : "absent"
      if (state === "paused") {
        return missing("container", used, `the container ${used} is paused: "${kind} unpause ${used}" resumes it`)
      }
      if (existing !== undefined && state !== "running") {
        const problem = state === "absent" ? "does not exist: name another" : `does not run: "${kind} start ${used}"`
        return missing("container", used, `the container ${used} ${problem}`)
      }
    }
    const what = existing === undefined ? "make a container" : `run a program in the container ${existing}`
    const wrote = text.trim() === "" ? "and wrote nothing" : `and wrote: ${shorten(text)}`
    return {
      reason: { _tag: "Unknown", code: "EENGINE" },
      what: `${kind} could not ${what}: it ended with the exit code ${exitCode} ${wrote}; ` +
        `try "${[program, ...engine.arguments].join(" ")} info", and the options engineArguments and runArguments`,
      code: "EENGINE",
    }
  })

const where = "in the container"

/** The fault of a command that a session refuses with a report. */
export const faultOfRefusal = (exec: ShellExec, settings: ContainerShellSettings, report: string): ShellFault => {
  const program = exec.useShell ? settings.defaultShell : exec.command
  const [reason, message] = describeRefusal(exec, { program, directory: settings.cwd, where }, report.split(" "))
  return ShellFault.because(exec.commandId, reason, message)
}

const exitFault = (reason: FaultReason, what: string, code: string): ExitFault => ({
  reason,
  message: `exec: ${what} (${code})`,
})

/** The status of a command that ended: an exit, or a fault of the limits of its container. */
export const statusOfEnd = (exec: ShellExec, end: SessionEnd, executable: string): ExitStatus => {
  const { command } = exec
  const { exitCode, oomKills = 0, refusal, refusedForks = 0, signal } = end
  const status = { exitCode, signal }
  if (refusal !== undefined) {
    const [reason, message] = describeRefusal(exec, { program: executable, directory: "", where }, refusal.split(" "))
    return { ...status, fault: { reason, message } }
  }
  if (exitCode === 0) return status
  if (oomKills > 0) {
    return {
      ...status,
      fault: exitFault(
        { _tag: "ResourceExhausted", resource: "memory", code: "ENOMEM" },
        `${command} failed, and the container reached its limit of memory: raise limits.memoryBytes`,
        "ENOMEM",
      ),
    }
  }
  if (refusedForks > 0) {
    return {
      ...status,
      fault: exitFault(
        { _tag: "ResourceExhausted", resource: "processes", code: "EAGAIN" },
        `${command} failed, and the container reached its limit of processes: raise limits.processes`,
        "EAGAIN",
      ),
    }
  }
  return status
}

/** The status of a command whose client ended before it. `isRunning`: whether the container still ran. */
export const statusOfLoss = (
  { command }: ShellExec,
  kind: string,
  container: string,
  exitCode: number,
  isRunning: boolean,
): ExitStatus => ({
  exitCode,
  fault: exitFault(
    { _tag: "HostLost", host: container },
    isRunning
      ? `the client of ${kind} for ${command} ended with the code ${exitCode}; all processes of the command were ended`
      : `the container ${container} ended before ${command}: it was stopped, removed or killed`,
    "HOSTLOST",
  ),
})
