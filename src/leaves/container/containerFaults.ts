/**
 * Makes the faults of commands in containers: of an engine that is missing or broken, an image or a container that is not there,
 * a command that the container refuses, and a container that is lost.
 */
import * as Effect from "effect/Effect"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { ExitFault, ExitStatus } from "../../shell/SpawnedProcess.ts"
import { errorCode } from "../../host/faults/errorCode.ts"
import type { Host } from "../../host/Host.ts"
import type { ContainerShellSettings, ContainerTarget, Engine } from "./ContainerSettings.ts"
import { imagesArguments, stateArguments } from "./engineCommand.ts"
import { runEngine } from "./runEngine.ts"
import type { SessionEnd } from "./Session.ts"

/** Maximum length of what an engine wrote, in a message. */
const maxTextLength = 2_000

const faultOf = (exec: ShellExec, reason: FaultReason, what: string, code: string, exception?: unknown): ShellFault =>
  ShellFault.because(exec.commandId, reason, `exec: ${what} (${code})`, exception === undefined ? {} : { exception })

/** A reason that fits a part of the command. */
export const faultOfRequest = (exec: ShellExec, field: string, what: string, code: string): ShellFault =>
  faultOf(exec, { _tag: "InvalidRequest", field, code }, what, code)

/** The reason for which an engine's call failed. */
export interface EngineProblem {
  readonly reason: FaultReason
  readonly what: string
  readonly code: string
  readonly exception?: unknown
}

/** Explains why the program of an engine cannot be started. */
export const explainEngine = ({ kind, program }: Engine, error: unknown): EngineProblem => {
  const code = errorCode(error, "posix") ?? "UNKNOWN"
  return code === "ENOENT"
    ? {
      reason: { _tag: "NotFound", what: "engine", path: program, code },
      what: `The engine ${program} is not there: install ${kind}, or name its program with the option program`,
      code,
      exception: error,
    }
    : {
      reason: code === "EACCES" || code === "EPERM" || code === "NotCapable"
        ? { _tag: "PermissionDenied", path: program, code }
        : { _tag: "Unknown", code },
      what: `The engine ${program} cannot be started: allow this program to run it`,
      code,
      exception: error,
    }
}

/** The fault of a command for a problem of its engine. */
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
        return missing("image", image, `The image ${image} is not on this machine: ${advice}`)
      }
    }
    const used = existing ?? made
    if (used !== undefined) {
      const inspected = yield* run(stateArguments(engine, used))
      const state = inspected.exitCode === 0 ? inspected.stdout.trim() : "absent"
      if (state === "paused") {
        return missing("container", used, `The container ${used} is paused: "${kind} unpause ${used}" lets it run on`)
      }
      if (existing !== undefined && state !== "running") {
        const problem = state === "absent" ? "does not exist: name another" : `does not run: "${kind} start ${used}"`
        return missing("container", used, `The container ${used} ${problem}`)
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

/** The fault of a command that a session refuses with a report. */
export const faultOfRefusal = (
  exec: ShellExec,
  { cwd, defaultShell }: ContainerShellSettings,
  report: string,
): ShellFault => {
  const [kind, code = "EACCES"] = report.split(" ")
  const { workingDirectory = cwd ?? "" } = exec
  const command = exec.useShell ? defaultShell : exec.command
  if (kind === "D") {
    if (code === "EACCES") {
      return faultOf(
        exec,
        { _tag: "PermissionDenied", path: workingDirectory, code },
        `Working directory may not be entered '${workingDirectory}'`,
        code,
      )
    }
    const problem = code === "ENOENT" ? "does not exist" : "is not a directory"
    return faultOf(
      exec,
      { _tag: "NotFound", what: "workingDirectory", path: workingDirectory, code },
      `Working directory ${problem} '${workingDirectory}'`,
      code,
    )
  }
  if (kind === "T") {
    return faultOfRequest(exec, "terminal", `${command} cannot have a terminal: the container has no stty`, "ENOTSUP")
  }
  if (kind === "L") {
    return faultOfRequest(exec, `limits.${code}`, `the limit ${code} cannot be set in the container`, "ENOTSUP")
  }
  if (code === "ENOENT") {
    return faultOf(
      exec,
      { _tag: "NotFound", what: exec.useShell ? "interpreter" : "command", path: command, code },
      `${command} is not in the container`,
      code,
    )
  }
  return faultOf(exec, { _tag: "PermissionDenied", path: command, code }, `${command} may not be executed`, code)
}

const exitFault = (reason: FaultReason, what: string, code: string): ExitFault => ({
  reason,
  message: `exec: ${what} (${code})`,
})

/** The status of a command that ended: an exit, or a fault of the limits of its container. */
export const statusOfEnd = ({ command }: ShellExec, end: SessionEnd, executable: string): ExitStatus => {
  const { execFailure, exitCode, oomKills = 0, refusedForks = 0, signal } = end
  const status = { exitCode, signal }
  if (execFailure?.startsWith("interpreter ") === true) {
    const path = execFailure.slice("interpreter ".length)
    return {
      ...status,
      fault: exitFault(
        { _tag: "NotFound", what: "interpreter", path, code: "ENOENT" },
        `The interpreter ${path} of ${executable} is not in the container`,
        "ENOENT",
      ),
    }
  }
  if (execFailure !== undefined) {
    return {
      ...status,
      fault: exitFault(
        { _tag: "PermissionDenied", path: executable, code: "ENOEXEC" },
        `The system could not execute ${executable}; stderr has its message`,
        "ENOEXEC",
      ),
    }
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
      ? `The client of ${kind} for ${command} ended with the code ${exitCode}; all processes of the command were ended`
      : `The container ${container} ended before ${command}: it was stopped, removed or killed`,
    "HOSTLOST",
  ),
})
