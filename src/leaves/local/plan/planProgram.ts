/** Plans the program to start for a command: its own, a shell, cmd.exe or PowerShell. */
import * as Result from "effect/Result"
import { reveal } from "../../../command/plain/secret.ts"
import type { ShellExec } from "../../../command/ShellExec.ts"
import { ShellFault } from "../../../command/plain/ShellFault.ts"
import type { SeenFile } from "../../../shell/LeafFiles.ts"
import type { LocalContext, PlanResult, Program, ProgramPlan } from "./LocalContext.ts"
import type { Variables } from "../../../host/environment.ts"
import { baseName } from "../../../host/paths.ts"
import { type ExecutableKind, executableKind } from "../../../host/resolveExecutable.ts"
import { faultOfPath, faultOfPermission, faultOfResolution } from "../../../host/faults/planFaults.ts"
import {
  cmdCall,
  cmdPath,
  cmdScript,
  powershellFile,
  powershellScript,
  type WindowsCallResult,
  windowsCommandLine,
} from "../../../host/windows/windowsCommandLine.ts"

/** NAME_MAX of Linux, macOS and the BSDs. */
const maxNameLength = 255

const resolveProgram = (
  exec: ShellExec,
  name: string,
  variables: Variables,
  { host, nowMillis, platform, resolve }: LocalContext,
): PlanResult<{ readonly path: string; readonly kind: ExecutableKind }> => {
  const lookup = {
    platform,
    name,
    // A getter, so that the system call is made only if the name has to be resolved.
    get directory() {
      return host.cwd() ?? "/"
    },
    environment: variables,
    probe: host,
  }
  const found = resolve(lookup, nowMillis)
  switch (found._tag) {
    case "Found": {
      const bad = found.verified ? undefined : faultOfPath(exec, "command", found.path, host.errorAt(found.path))
      return bad === undefined ? Result.succeed({ path: found.path, kind: found.kind }) : Result.fail(bad)
    }
    case "Undecided": {
      // A name that is too long cannot be in any directory of PATH.
      const bad = faultOfPath(exec, "command", name, name.length > maxNameLength ? "ENAMETOOLONG" : undefined)
      if (bad !== undefined) return Result.fail(bad)
      return Result.succeed({ path: name, kind: platform === "posix" ? "posix" : "exe" })
    }
    default:
      return Result.fail(faultOfResolution(exec, found, platform, host.errorAt))
  }
}

const toProgram = (exec: ShellExec, invocation: WindowsCallResult): PlanResult<Program> =>
  Result.match(invocation, {
    onFailure: ({ code, field, problem }) =>
      Result.fail(ShellFault.because(
        exec.commandId,
        { _tag: "InvalidRequest", field, code },
        `exec: the ${field} ${problem} (${code})`,
      )),
    onSuccess: ({ args, program, verbatim }) => Result.succeed({ file: program, args, verbatim }),
  })

/** Resolves `pwsh` if it is installed, otherwise the `powershell` of Windows. */
const resolvePowershell = (exec: ShellExec, variables: Variables, context: LocalContext): PlanResult<string> => {
  const newer = resolveProgram(exec, "pwsh", variables, context)
  return Result.map(
    Result.isSuccess(newer) ? newer : resolveProgram(exec, "powershell", variables, context),
    ({ path }) => path,
  )
}

/** Plans a PowerShell call; cmd.exe merges its streams, because `2>&1` in PowerShell turns lines into objects. */
const powershellCall = (exec: ShellExec, invocation: WindowsCallResult, { host }: LocalContext): PlanResult<Program> =>
  toProgram(
    exec,
    exec.mergeStreams !== true ? invocation : Result.flatMap(
      invocation,
      ({ args, program }) => cmdCall(cmdPath(host.variable), program, args, { mergeStreams: true }),
    ),
  )

const posixProgram = (exec: ShellExec, program: Program, { shell }: LocalContext): PlanResult<Program> => {
  if (exec.mergeStreams !== true) return Result.succeed(program)
  if (shell === undefined) {
    return Result.fail(faultOfPermission(exec, "/bin/sh", "to merge streams, sh must be run", "--allow-run=/bin/sh"))
  }
  // Only one pipe for both streams preserves the order of writes.
  const args = ["-c", 'exec "$@" 2>&1', "sh", program.file, ...program.args]
  return Result.succeed({ ...program, file: shell, args })
}

const windowsCall = (
  exec: ShellExec,
  path: string,
  kind: ExecutableKind,
  args: ReadonlyArray<string>,
  variables: Variables,
  context: LocalContext,
): PlanResult<Program> => {
  const mergeStreams = exec.mergeStreams === true
  if (kind === "powershell") {
    return Result.flatMap(
      resolvePowershell(exec, variables, context),
      (powershell) => powershellCall(exec, powershellFile(powershell, path, args), context),
    )
  }
  return kind === "batch" || mergeStreams
    ? toProgram(exec, cmdCall(cmdPath(context.host.variable), path, args, { mergeStreams }))
    // Built only to check its length: Windows reports a command line that is too long as a missing file.
    : toProgram(
      exec,
      Result.map(windowsCommandLine(path, args), () => ({ program: path, args, verbatim: false })),
    )
}

export const argvProgram = (
  exec: ShellExec,
  variables: Variables,
  context: LocalContext,
  pinned?: SeenFile,
): PlanResult<ProgramPlan> => {
  const resolved = pinned === undefined
    ? resolveProgram(exec, exec.command, variables, context)
    : Result.succeed({ path: pinned.path, kind: executableKind(context.platform, pinned.path) })
  if (Result.isFailure(resolved)) return Result.fail(resolved.failure)
  const { kind, path } = resolved.success
  // Checked by validateExec: every secret has its value.
  const args = exec.arguments.map((word) => reveal(word) ?? "")
  const program = context.platform === "posix"
    ? posixProgram(exec, { file: path, args, verbatim: false }, context)
    : windowsCall(exec, path, kind, args, variables, context)
  return Result.map(program, (each) => ({ executable: path, program: each }))
}

/**
 * Plans the call of the shell that the leaf names, by its file name: PowerShell, cmd.exe, or any other, which gets
 * `-c SCRIPT` as in POSIX (the `bash.exe` of Git for Windows).
 */
const windowsScript = (
  exec: ShellExec,
  shell: string,
  variables: Variables,
  context: LocalContext,
): PlanResult<Program> => {
  const name = baseName("windows", shell).toLowerCase()
  if (/^cmd(?:\.exe)?$/.test(name)) {
    return toProgram(exec, cmdScript(shell, exec.command, { mergeStreams: exec.mergeStreams === true }))
  }
  if (/^(?:pwsh|powershell)(?:\.exe)?$/.test(name)) {
    return powershellCall(exec, powershellScript(shell, exec.command), context)
  }
  return windowsCall(exec, shell, executableKind("windows", shell), ["-c", exec.command], variables, context)
}

export const scriptProgram = (
  exec: ShellExec,
  variables: Variables,
  context: LocalContext,
): PlanResult<ProgramPlan> => {
  const { platform, settings } = context
  if (platform === "posix") {
    const named = settings.defaultShell ?? context.shell ?? "/bin/sh"
    return Result.flatMap(resolveProgram(exec, named, variables, context), ({ path: executable }) =>
      Result.map(
        posixProgram(exec, { file: executable, args: ["-c", exec.command], verbatim: false }, context),
        (program) => ({ executable, program }),
      ))
  }
  if (settings.preferPowerShell) {
    return Result.flatMap(
      resolvePowershell(exec, variables, context),
      (powershell) =>
        Result.map(powershellCall(exec, powershellScript(powershell, exec.command), context), (program) => ({
          executable: powershell,
          program,
        })),
    )
  }
  const shell = settings.defaultShell === undefined
    ? Result.succeed(cmdPath(context.host.variable))
    : Result.map(resolveProgram(exec, settings.defaultShell, variables, context), ({ path }) => path)
  return Result.flatMap(
    shell,
    (executable) =>
      Result.map(windowsScript(exec, executable, variables, context), (program) => ({ executable, program })),
  )
}
