/**
 * Which program is started for a command: its own, a shell for a script, cmd.exe for a batch file.
 *
 * @module
 */
import * as Result from "effect/Result"
import { reveal } from "../../command/Secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { FileSnapshot } from "../../shell/LeafFiles.ts"
import type { ChildVariables, Found, LocalContext, Planned, Program } from "./LocalContext.ts"
import { type ExecutableKind, executableKind } from "./resolve.ts"
import { faultOfPath, faultOfPermission, faultOfResolution } from "./planFaults.ts"
import {
  cmdCall,
  cmdPath,
  cmdScript,
  type Invoked,
  powershellFile,
  powershellScript,
  windowsCommandLine,
} from "./windowsCommandLine.ts"

/** NAME_MAX of Linux, macOS and the BSDs. */
const maxNameLength = 255

const look = (
  exec: ShellExec,
  name: string,
  variables: ChildVariables,
  { host, nowMillis, platform, resolve }: LocalContext,
): Planned<{ readonly path: string; readonly kind: ExecutableKind }> => {
  const lookup = {
    platform,
    name,
    // Asked of the system only for a name that is looked for.
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
      // In no directory of PATH can a name be that none can hold.
      const bad = faultOfPath(exec, "command", name, name.length > maxNameLength ? "ENAMETOOLONG" : undefined)
      if (bad !== undefined) return Result.fail(bad)
      return Result.succeed({ path: name, kind: platform === "posix" ? "posix" : "exe" })
    }
    default:
      return Result.fail(faultOfResolution(exec, found, platform, host.errorAt))
  }
}

const invoked = (exec: ShellExec, invocation: Invoked): Planned<Program> =>
  Result.match(invocation, {
    onFailure: ({ field, problem }) =>
      Result.fail(ShellFault.because(
        exec.commandId,
        { _tag: "InvalidRequest", field, code: "EINVAL" },
        `exec: the ${field} ${problem} (EINVAL)`,
      )),
    onSuccess: ({ args, program, verbatim }) => Result.succeed({ file: program, args, verbatim }),
  })

/** `pwsh` where it is installed, else the `powershell` that Windows brings. */
const lookPowershell = (exec: ShellExec, variables: ChildVariables, context: LocalContext): Planned<string> => {
  const newer = look(exec, "pwsh", variables, context)
  return Result.map(Result.isSuccess(newer) ? newer : look(exec, "powershell", variables, context), ({ path }) => path)
}

/** PowerShell itself knows no way to join the streams of what it runs: `2>&1` there makes objects of the lines. */
const powershellCall = (exec: ShellExec, invocation: Invoked, { host }: LocalContext): Planned<Program> =>
  invoked(
    exec,
    exec.mergeStreams !== true ? invocation : Result.flatMap(
      invocation,
      ({ args, program }) => cmdCall(cmdPath(host.variable), program, args, { mergeStreams: true }),
    ),
  )

const posixProgram = (exec: ShellExec, program: Program, { shell }: LocalContext): Planned<Program> => {
  if (exec.mergeStreams !== true) return Result.succeed(program)
  if (shell === undefined) return Result.fail(faultOfPermission(exec, "/bin/sh", "to merge streams, sh must be run"))
  // One pipe for both is the only way to keep the order in which they were written.
  const args = ["-c", 'exec "$@" 2>&1', "sh", program.file, ...program.args]
  return Result.succeed({ ...program, file: shell, args })
}

const windowsCall = (
  exec: ShellExec,
  path: string,
  kind: ExecutableKind,
  args: ReadonlyArray<string>,
  variables: ChildVariables,
  context: LocalContext,
): Planned<Program> => {
  const mergeStreams = exec.mergeStreams === true
  if (kind === "powershell") {
    return Result.flatMap(
      lookPowershell(exec, variables, context),
      (powershell) => powershellCall(exec, powershellFile(powershell, path, args), context),
    )
  }
  return kind === "batch" || mergeStreams
    ? invoked(exec, cmdCall(cmdPath(context.host.variable), path, args, { mergeStreams }))
    // Put together only to see that it can be: Windows says of a line that is too long what it says of a missing file.
    : invoked(
      exec,
      Result.map(windowsCommandLine(path, args), () => ({ program: path, args, verbatim: false })),
    )
}

/** The program of a structured command. */
export const argvProgram = (
  exec: ShellExec,
  variables: ChildVariables,
  context: LocalContext,
  pinned?: FileSnapshot,
): Planned<Found> => {
  const looked = pinned === undefined
    ? look(exec, exec.command, variables, context)
    : Result.succeed({ path: pinned.path, kind: executableKind(context.platform, pinned.path) })
  return Result.flatMap(looked, ({ kind, path }) => {
    // Looked at by validateExec: every secret here has its value.
    const args = exec.arguments.map((word) => reveal(word) ?? "")
    const program = context.platform === "posix"
      ? posixProgram(exec, { file: path, args, verbatim: false }, context)
      : windowsCall(exec, path, kind, args, variables, context)
    return Result.map(program, (each) => ({ executable: path, program: each }))
  })
}

/** The shell of a script. */
export const scriptProgram = (exec: ShellExec, variables: ChildVariables, context: LocalContext): Planned<Found> => {
  const { platform, settings } = context
  if (platform === "posix") {
    const named = settings.defaultShell ?? context.shell ?? "/bin/sh"
    return Result.flatMap(look(exec, named, variables, context), ({ path: executable }) =>
      Result.map(
        posixProgram(exec, { file: executable, args: ["-c", exec.command], verbatim: false }, context),
        (program) => ({ executable, program }),
      ))
  }
  if (settings.preferPowerShell) {
    return Result.flatMap(
      lookPowershell(exec, variables, context),
      (powershell) =>
        Result.map(powershellCall(exec, powershellScript(powershell, exec.command), context), (program) => ({
          executable: powershell,
          program,
        })),
    )
  }
  const cmd = settings.defaultShell === undefined
    ? Result.succeed(cmdPath(context.host.variable))
    : Result.map(look(exec, settings.defaultShell, variables, context), ({ path }) => path)
  return Result.flatMap(
    cmd,
    (executable) =>
      Result.map(
        invoked(exec, cmdScript(executable, exec.command, { mergeStreams: exec.mergeStreams === true })),
        (program) => ({ executable, program }),
      ),
  )
}
