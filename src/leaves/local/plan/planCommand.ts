/** Plans the process of a command, or refuses it. */
import * as Result from "effect/Result"
import { quote } from "../../../base/quote.ts"
import type { ShellExec } from "../../../command/ShellExec.ts"
import { ShellFault } from "../../../command/plain/ShellFault.ts"
import {
  childEnvironment,
  childVariable,
  type EnvironmentDelta,
  toSpawnEnvironment,
} from "../../../host/environment.ts"
import type { SeenFile, SpawnConstraints } from "../../../shell/LeafFiles.ts"
import { argumentLimit, explainTooLong, isTooLong } from "../../../host/faults/argumentLimit.ts"
import type { Host, SpawnRequest } from "../../../host/Host.ts"
import { withLimits } from "./resourceLimits.ts"
import type { LocalContext, PlanResult, Program } from "./LocalContext.ts"
import { argvProgram, scriptProgram } from "./planProgram.ts"
import { localBinDirectories } from "../../../host/resolveExecutable.ts"
import { toAbsolute } from "../../../host/paths.ts"
import { faultOfDirectory, faultOfPath, faultOfPermission } from "../../../host/faults/planFaults.ts"
import { markerName, nestedMarker } from "../../../host/runMarker.ts"
import { markGrace } from "../end/Watchdog.ts"
import { validateExec } from "../../../shell/validateExec.ts"

export interface LocalCommand {
  /** The resolved program: a full path, or its name where the leaf may not read the file system. */
  readonly executable: string
  readonly request: SpawnRequest
}

/** Resolves the canonical working directory of a command; `undefined` for the process's own. */
export const planDirectory = (
  exec: ShellExec,
  { host, platform, settings }: LocalContext,
  pinned: SpawnConstraints | undefined,
): PlanResult<string | undefined> => {
  if (pinned?.directory !== undefined) return Result.succeed(pinned.directory.file)
  const wanted = exec.workingDirectory ?? settings.cwd
  if (wanted === undefined) return Result.succeed(undefined)
  const base = toAbsolute(platform, host.cwd() ?? "/", settings.cwd ?? ".")
  const path = exec.workingDirectory === undefined ? base : toAbsolute(platform, base, wanted)
  const kind = host.fileKind(path)
  if (kind === "directory") return Result.succeed(host.realPath(path) ?? path)
  if (kind === "none" || kind === "unknown") {
    const bad = faultOfPath(exec, "workingDirectory", wanted, host.errorAt(path))
    if (bad !== undefined) return Result.fail(bad)
  }
  return kind === "unknown"
    ? Result.succeed(host.realPath(path) ?? path)
    : Result.fail(faultOfDirectory(exec, wanted, kind))
}

const planEnvironment = (
  exec: ShellExec,
  cwd: string | undefined,
  { host, marker, outerMarker: outer, platform, settings }: LocalContext,
): PlanResult<EnvironmentDelta> => {
  const localBin = exec.localBin ?? settings.localBin
  const inherit = exec.inheritEnvironment ?? settings.extendEnv
  // Without permission to read the environment, PATH cannot be extended.
  const cannotRead = (): boolean => host.variable("PATH") === undefined && host.environment() === undefined
  if (localBin && inherit && exec.environment?.["PATH"] === undefined && cannotRead()) {
    const why = "to put directories before PATH, PATH must be read"
    return Result.fail(faultOfPermission(exec, "PATH", why, "--allow-env=PATH"))
  }
  const delta = childEnvironment({
    platform,
    parent: host.variable,
    inherit,
    entries: exec.environment,
    ...(localBin ? { pathFirst: localBinDirectories(platform, cwd ?? host.cwd() ?? "/") } : undefined),
    marker: [
      markerName,
      nestedMarker(
        outer !== undefined && settings.dieWithParent ? markGrace(outer, exec.grace ?? settings.grace) : outer,
        marker,
      ),
    ],
  })
  return Result.mapError(delta, ({ name, problem }) =>
    ShellFault.because(
      exec.commandId,
      { _tag: "InvalidRequest", field: `environment.${name}`, code: "EINVAL" },
      `exec: the environment variable ${quote(name)} ${problem} (EINVAL)`,
    ))
}

const isScript = (host: Host, path: string): boolean => {
  const head = host.readHead(path, 2)
  return head === undefined || (head[0] === 0x23 && head[1] === 0x21)
}

/**
 * Replaces a program by its checked canonical file, with the name it was found by as argv[0]: multi-call programs
 * (busybox, Python in a virtual environment) use that. A script gets only its path, and on Deno argv[0] is the started
 * path, so both are started by the name under which they were found.
 */
const withCheckedFile = (
  program: Program,
  pinned: SeenFile | undefined,
  host: Host,
): Program & { readonly argv0?: string } => {
  if (pinned === undefined || program.file !== pinned.path || pinned.file === pinned.path) return program
  if (host.os === "windows" || host.runtime === "deno" || isScript(host, pinned.file)) return program
  return { ...program, file: pinned.file, argv0: pinned.path }
}

const faultOfLength = (exec: ShellExec, limit: number | undefined): ShellFault => {
  const { issue, reason } = explainTooLong(exec, "E2BIG", limit)
  return ShellFault.because(exec.commandId, reason, `exec: ${issue} (E2BIG)`)
}

/** Plans a command. `stdin`: whether it gets input; `pinned`: what an access policy has checked. */
export const planCommand = (
  exec: ShellExec,
  stdin: boolean,
  context: LocalContext,
  pinned?: SpawnConstraints,
): PlanResult<LocalCommand> => {
  const { host, platform } = context
  if (isTooLong(exec, host)) return Result.fail(faultOfLength(exec, argumentLimit(host)))
  const invalid = validateExec(exec)
  if (invalid !== undefined) return Result.fail(invalid)
  const directory = planDirectory(exec, context, pinned)
  if (Result.isFailure(directory)) return Result.fail(directory.failure)
  const cwd = directory.success
  const environment = planEnvironment(exec, cwd, context)
  if (Result.isFailure(environment)) return Result.fail(environment.failure)
  const delta = environment.success
  const variables = (name: string): string | undefined => childVariable(platform, delta, host.variable, name)
  const planned = exec.useShell
    ? scriptProgram(exec, variables, context)
    : argvProgram(exec, variables, context, pinned?.program)
  if (Result.isFailure(planned)) return Result.fail(planned.failure)
  const { executable, program } = planned.success
  const wrapped = withLimits(exec, program, context)
  if (Result.isFailure(wrapped)) return Result.fail(wrapped.failure)
  const env = toSpawnEnvironment(platform, delta, host.environment)
  if (env === undefined) {
    const why = `to leave out ${delta.remove.join(", ")} the environment must be read`
    return Result.fail(faultOfPermission(exec, "environment", why, "--allow-env"))
  }
  return Result.succeed({
    executable,
    request: {
      ...withCheckedFile(wrapped.success, pinned?.program, host),
      cwd,
      env,
      stdin: stdin ? "piped" : "null",
      stdout: "piped",
      // Merged streams use stdout's pipe.
      stderr: exec.mergeStreams === true ? "null" : "piped",
      detached: platform !== "windows" && context.settings.ownSession,
      job: platform === "windows" && context.settings.useJobObjects,
    },
  })
}

/** A command that was planned without input, with a pipe for its stdin if it gets some. */
export const withStdin = (command: LocalCommand, stdin: boolean): LocalCommand =>
  stdin ? { ...command, request: { ...command.request, stdin: "piped" } } : command
