/**
 * From a command to the process to start: directory, environment, program, shell, limits, merged streams.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { Limits } from "../../command/Limits.ts"
import { reveal } from "../../command/Secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import {
  childEnvironment,
  childVariable,
  type EnvironmentDelta,
  materialise,
  type VariableRecord,
} from "./environment.ts"
import type { Host, SpawnRequest } from "./Host.ts"
import type { LocalShellSettings } from "./LocalShellOptions.ts"
import { localBinDirectories, resolveExecutable } from "./resolve.ts"
import { absolute, type Platform } from "./resolve-paths.ts"
import { validateExec } from "./validateExec.ts"
import { markerName } from "./terminate.ts"

/** A command that is ready to be started. */
export interface LocalCommand {
  /** The program as it was found: a full path, or its name where the leaf may not look. */
  readonly executable: string
  readonly request: SpawnRequest
}

/** What the plan of a command goes by. */
export interface LocalContext {
  readonly host: Host
  readonly settings: LocalShellSettings
  readonly platform: Platform
  /** Text that marks this run's processes. */
  readonly marker: string
  /** Where `prlimit` is, if it is there. */
  readonly prlimit: string | undefined
}

type Planned<A> = Result.Result<A, ShellFault>

const directoryOf = (exec: ShellExec, { host, platform, settings }: LocalContext): Planned<string | undefined> => {
  const wanted = exec.workingDirectory ?? settings.workingDirectory
  if (wanted === undefined) return Result.succeed(undefined)
  const path = absolute(platform, absolute(platform, host.cwd() ?? "/", settings.workingDirectory ?? "."), wanted)
  const kind = host.fileKind(path)
  const missing = (problem: string, code: string): Planned<string | undefined> =>
    Result.fail(ShellFault.because(
      exec.commandId,
      { _tag: "NotFound", what: "workingDirectory", path: wanted, code },
      `exec: Working directory ${problem} '${wanted}' (${code})`,
    ))
  if (kind === "none") return missing("does not exist", "ENOENT")
  if (kind === "file" || kind === "executable") return missing("is not a directory", "ENOTDIR")
  return Result.succeed(host.realPath(path) ?? path)
}

const environmentOf = (
  exec: ShellExec,
  cwd: string | undefined,
  { host, marker, platform, settings }: LocalContext,
): Planned<EnvironmentDelta> => {
  const localBin = exec.localBin ?? settings.localBin
  const delta = childEnvironment({
    platform,
    parent: host.variable,
    inherit: exec.inheritEnvironment ?? settings.inheritEnvironment,
    entries: exec.environment,
    ...(localBin ? { pathFirst: localBinDirectories(platform, cwd ?? host.cwd() ?? "/") } : undefined),
    marker: [markerName, nested(host.variable(markerName), marker)],
  })
  return Result.mapError(delta, ({ name, problem }) =>
    ShellFault.because(
      exec.commandId,
      { _tag: "InvalidRequest", field: `environment.${name}` },
      `exec: the environment variable ${JSON.stringify(name)} ${problem} (EINVAL)`,
    ))
}

/** A run within a run carries both markers, the outer one first: whoever ends the outer ends the inner too. */
const nested = (outer: string | undefined, marker: string): string =>
  outer === undefined ? marker : `${outer.slice(-200)}:${marker}`

/** What to remove can only be said by saying all the rest. */
const handedOver = (
  { clear, remove, set }: EnvironmentDelta,
  { host, platform }: LocalContext,
): { readonly clear: boolean; readonly set: VariableRecord } => {
  const parent = remove.length > 0 ? host.environment() : undefined
  return parent === undefined
    ? { clear, set }
    : { clear: true, set: materialise(platform, { clear, remove, set }, parent) }
}

interface Program {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly verbatim: boolean
}

const resolveProgram = (
  exec: ShellExec,
  name: string,
  delta: EnvironmentDelta,
  { host, platform }: LocalContext,
): Planned<{ readonly path: string; readonly kind: "posix" | "exe" | "batch" | "powershell" }> => {
  const fault = (
    reason: Parameters<typeof ShellFault.because>[1],
    message: string,
  ): Planned<never> => Result.fail(ShellFault.because(exec.commandId, reason, message))
  const found = resolveExecutable({
    platform,
    name,
    directory: host.cwd() ?? "/",
    environment: (variable) => childVariable(platform, delta, host.variable, variable),
    probe: host,
  })
  switch (found._tag) {
    case "Found":
      return Result.succeed({ path: found.path, kind: found.kind })
    case "Undecided":
      return Result.succeed({ path: name, kind: platform === "posix" ? "posix" : "exe" })
    case "NotExecutable":
      return fault(
        { _tag: "PermissionDenied", path: found.path, code: "EACCES" },
        `exec: ${found.path} is not executable (EACCES)`,
      )
    case "NotFound":
      return fault(
        { _tag: "NotFound", what: exec.useShell ? "interpreter" : "command", path: name, code: "ENOENT" },
        name.includes("/") ? `exec: ${name} does not exist (ENOENT)` : `exec: ${name} not found in PATH (ENOENT)`,
      )
  }
}

const limitFlags: ReadonlyArray<readonly [keyof Limits, string]> = [
  ["memoryBytes", "--as"],
  ["cpuSeconds", "--cpu"],
  ["processes", "--nproc"],
  ["fileSizeBytes", "--fsize"],
]

/** The limits that this host can enforce: `prlimit` sets them between fork and exec of the command. */
export const enforceableLimits = (host: Host, prlimit: string | undefined): ReadonlyArray<keyof Limits> =>
  prlimit === undefined
    ? []
    // setrlimit(2): the kernel never counts root's processes against RLIMIT_NPROC.
    : limitFlags.map(([name]) => name).filter((name) => name !== "processes" || host.isRoot() === false)

const limited = (exec: ShellExec, program: Program, { host, prlimit }: LocalContext): Planned<Program> => {
  const wanted = limitFlags.filter(([name]) => exec.limits?.[name] !== undefined)
  if (wanted.length === 0) return Result.succeed(program)
  const can = enforceableLimits(host, prlimit)
  const cannot = wanted.find(([name]) => !can.includes(name))
  if (prlimit === undefined || cannot !== undefined) {
    const name = cannot?.[0] ?? "limits"
    return Result.fail(ShellFault.because(
      exec.commandId,
      { _tag: "InvalidRequest", field: `limits.${name}` },
      prlimit === undefined
        ? `exec: the limit ${name} cannot be enforced here: no prlimit (ENOTSUP)`
        : `exec: the limit ${name} cannot be enforced for root (ENOTSUP)`,
    ))
  }
  const flags = wanted.map(([name, flag]) => `${flag}=${exec.limits?.[name]}`)
  return Result.succeed({ file: prlimit, args: [...flags, "--", program.file, ...program.args], verbatim: false })
}

const merged = (exec: ShellExec, program: Program, { platform }: LocalContext): Planned<Program> => {
  if (exec.mergeStreams !== true) return Result.succeed(program)
  if (platform === "windows") {
    return Result.fail(ShellFault.because(
      exec.commandId,
      { _tag: "InvalidRequest", field: "mergeStreams" },
      "exec: streams cannot be merged in exact order on Windows (ENOTSUP)",
    ))
  }
  return Result.succeed({
    file: "/bin/sh",
    // One pipe for both is the only way to keep the order in which they were written.
    args: ["-c", 'exec "$@" 2>&1', "sh", program.file, ...program.args],
    verbatim: false,
  })
}

const scriptProgram = (
  exec: ShellExec,
  delta: EnvironmentDelta,
  context: LocalContext,
): Planned<{ readonly executable: string; readonly program: Program }> => {
  const { platform, settings } = context
  if (platform === "posix") {
    const shell = resolveProgram(exec, settings.defaultShell ?? "/bin/sh", delta, context)
    return Result.map(shell, ({ path }) => ({
      executable: path,
      program: { file: path, args: ["-c", exec.command], verbatim: false },
    }))
  }
  return Result.fail(ShellFault.because(exec.commandId, { _tag: "InvalidRequest", field: "useShell" }, "windows"))
}

const argvProgram = (
  exec: ShellExec,
  delta: EnvironmentDelta,
  context: LocalContext,
): Planned<{ readonly executable: string; readonly program: Program }> =>
  Result.map(resolveProgram(exec, exec.command, delta, context), ({ path }) => ({
    executable: path,
    // Checked by validateExec: every secret here has its value.
    program: { file: path, args: exec.arguments.map((word) => reveal(word) ?? ""), verbatim: false },
  }))

/** Plans a command: everything that can be decided, or refused, before a process exists. */
export const planCommand = (exec: ShellExec, stdin: boolean, context: LocalContext): Planned<LocalCommand> =>
  Result.gen(function* () {
    const invalid = validateExec(exec)
    if (invalid !== undefined) return yield* Result.fail(invalid)
    const cwd = yield* directoryOf(exec, context)
    const delta = yield* environmentOf(exec, cwd, context)
    const { executable, program } = exec.useShell
      ? yield* scriptProgram(exec, delta, context)
      : yield* argvProgram(exec, delta, context)
    const wrapped = yield* Result.flatMap(merged(exec, program, context), (each) => limited(exec, each, context))
    return {
      executable,
      request: {
        ...wrapped,
        cwd,
        env: handedOver(delta, context),
        stdin: stdin ? "piped" : "null",
        stdout: "piped",
        stderr: exec.mergeStreams === true ? "null" : "piped",
        detached: false,
      },
    }
  })
