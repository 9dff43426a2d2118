/**
 * From a command to the process to start: everything that can be decided, or refused, before there is one.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import {
  childEnvironment,
  childVariable,
  type EnvironmentDelta,
  materialise,
  type VariableRecord,
} from "./environment.ts"
import type { SpawnConstraints } from "../../shell/LeafFiles.ts"
import { argumentLimit, isTooLong, tooLong } from "./argumentLimit.ts"
import type { SpawnRequest } from "./Host.ts"
import { limited } from "./limits.ts"
import type { LocalContext, Planned } from "./LocalContext.ts"
import { argvProgram, scriptProgram } from "./programs.ts"
import { localBinDirectories } from "./resolve.ts"
import { absolute } from "./resolve-paths.ts"
import { faultOfDirectory, faultOfPath, faultOfPermission } from "./planFaults.ts"
import { startedAs } from "./pinned.ts"
import { markerName, nestedMarker } from "./runMarker.ts"
import { validateExec } from "../../shell/validateExec.ts"

/** A command that is ready to be started. */
export interface LocalCommand {
  /** The program as it was found: a full path, or its name where the leaf may not look. */
  readonly executable: string
  readonly request: SpawnRequest
}

/** The canonical directory that a command asks for; `undefined` when it is the process's own. */
export const directoryOf = (
  exec: ShellExec,
  { host, platform, settings }: LocalContext,
  pinned: SpawnConstraints | undefined,
): Planned<string | undefined> => {
  if (pinned?.directory !== undefined) return Result.succeed(pinned.directory.file)
  const wanted = exec.workingDirectory ?? settings.workingDirectory
  if (wanted === undefined) return Result.succeed(undefined)
  const base = absolute(platform, host.cwd() ?? "/", settings.workingDirectory ?? ".")
  const path = absolute(platform, base, wanted)
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

const environmentOf = (
  exec: ShellExec,
  cwd: string | undefined,
  { host, marker, platform, settings }: LocalContext,
): Planned<EnvironmentDelta> => {
  const localBin = exec.localBin ?? settings.localBin
  const inherit = exec.inheritEnvironment ?? settings.inheritEnvironment
  // Where nothing of the environment may be read, what PATH would have been is lost.
  const blind = (): boolean => host.variable("PATH") === undefined && host.environment() === undefined
  if (localBin && inherit && exec.environment?.["PATH"] === undefined && blind()) {
    return Result.fail(faultOfPermission(exec, "PATH", "to put directories before PATH, PATH must be read"))
  }
  const delta = childEnvironment({
    platform,
    parent: host.variable,
    inherit,
    entries: exec.environment,
    ...(localBin ? { pathFirst: localBinDirectories(platform, cwd ?? host.cwd() ?? "/") } : undefined),
    marker: [markerName, nestedMarker(host.variable(markerName), marker)],
  })
  return Result.mapError(delta, ({ name, problem }) =>
    ShellFault.because(
      exec.commandId,
      { _tag: "InvalidRequest", field: `environment.${name}`, code: "EINVAL" },
      `exec: the environment variable ${JSON.stringify(name)} ${problem} (EINVAL)`,
    ))
}

/** What to remove can only be said by saying all the rest. */
const handedOver = (
  exec: ShellExec,
  { clear, remove, set }: EnvironmentDelta,
  { host, platform }: LocalContext,
): Planned<{ readonly clear: boolean; readonly set: VariableRecord }> => {
  if (remove.length === 0) return Result.succeed({ clear, set })
  const parent = host.environment()
  return parent === undefined
    ? Result.fail(
      faultOfPermission(exec, "environment", `to leave out ${remove.join(", ")} the environment must be read`),
    )
    : Result.succeed({ clear: true, set: materialise(platform, { clear, remove, set }, parent) })
}

const faultOfLength = (exec: ShellExec, limit: number | undefined): ShellFault => {
  const { issue, reason } = tooLong(exec, "E2BIG", limit)
  return ShellFault.because(exec.commandId, reason, `exec: ${issue} (E2BIG)`)
}

/** Plans a command. `stdin` says whether there will be input, `pinned` what an access policy has seen. */
export const planCommand = (
  exec: ShellExec,
  stdin: boolean,
  context: LocalContext,
  pinned?: SpawnConstraints,
): Planned<LocalCommand> =>
  Result.gen(function* () {
    const { host, platform } = context
    if (isTooLong(exec, host)) return yield* Result.fail(faultOfLength(exec, argumentLimit(host)))
    const invalid = validateExec(exec)
    if (invalid !== undefined) return yield* Result.fail(invalid)
    const cwd = yield* directoryOf(exec, context, pinned)
    const delta = yield* environmentOf(exec, cwd, context)
    const variables = (name: string): string | undefined => childVariable(platform, delta, host.variable, name)
    const { executable, program } = yield* (exec.useShell
      ? scriptProgram(exec, variables, context)
      : argvProgram(exec, variables, context, pinned?.program))
    const wrapped = yield* limited(exec, program, context)
    const env = yield* handedOver(exec, delta, context)
    return {
      executable,
      request: {
        ...startedAs(wrapped, pinned?.program, host),
        cwd,
        env,
        stdin: stdin ? "piped" : "null",
        stdout: "piped",
        // Merged streams come through stdout's pipe; nothing else writes here.
        stderr: exec.mergeStreams === true ? "null" : "piped",
        detached: false,
        job: platform === "windows" && context.settings.useJobObjects,
      },
    }
  })
