/** Plans the process of a command of `effect/process`, or refuses it with a PlatformError. */
import type { CommandOptions, StandardCommand } from "effect/process/ChildProcess"
import * as Result from "effect/Result"
import { reveal } from "../../../command/plain/secret.ts"
import type { Word } from "../../../command/Secret.ts"
import { childVariable, type EnvironmentDelta, toSpawnEnvironment } from "../../../host/environment.ts"
import type { SpawnRequest } from "../../../host/Host.ts"
import { toAbsolute } from "../../../host/paths.ts"
import { cmdCall, cmdPath } from "../../../host/windows/windowsCommandLine.ts"
import { type PlanContext, planEnvironment, type Planned } from "./planEnvironment.ts"
import { badArgument, noDirectory, spawnFailed } from "./platformErrors.ts"
import { hostExtra, hostStdio, resolveAdditionalFds, resolveInput, resolveOutput } from "./stdio.ts"

interface Program {
  readonly file: string
  readonly argv0: string
  readonly args: ReadonlyArray<string>
  readonly verbatim: boolean
}

const shellOf = ({ shell }: CommandOptions): string | true | undefined => shell === false ? undefined : shell

/** Describes an invalid word of a command, without its text, which may be secret, in the words of Effect's own spawner. */
const invalidWord = ({ args, command, options }: StandardCommand): string | undefined => {
  const problem = (what: string, word: Word): string | undefined => {
    const text = reveal(word)
    return text === undefined
      ? `${what} is a secret without its value`
      : text.includes("\0")
      ? `${what} contains a NUL character`
      : undefined
  }
  const ofCommand = command === "" ? "The command is empty" : problem("The command", command)
  if (ofCommand !== undefined) return ofCommand
  for (const [index, word] of args.entries()) {
    const ofArgument = problem(`Argument ${index + 1}`, word)
    if (ofArgument !== undefined) return ofArgument
  }
  for (const [name, value] of Object.entries(options.env ?? {})) {
    const ofVariable = value === undefined ? undefined : problem(`The environment variable ${name}`, value)
    if (ofVariable !== undefined) return ofVariable
  }
  return options.cwd?.includes("\0") === true ? "The working directory contains a NUL character" : undefined
}

const directoryOf = (command: StandardCommand, { host, platform }: PlanContext): Planned<string | undefined> => {
  const { cwd } = command.options
  if (cwd === undefined) return Result.succeed(undefined)
  if (cwd === "") return Result.fail(noDirectory(cwd))
  const path = toAbsolute(platform, host.cwd() ?? "/", cwd)
  switch (host.fileKind(path)) {
    case "none":
      return Result.fail(noDirectory(cwd))
    case "file":
    case "executable":
    case "special":
      return Result.fail(spawnFailed({ command, platform }, command.command, "ENOTDIR"))
    default:
      return Result.succeed(path)
  }
}

/** Plans a shell like Node: `cmd.exe` gets its line unquoted, any other shell `-c`. */
const shellProgram = (script: string, shell: string | true, { host, platform }: PlanContext): Program => {
  const file = shell !== true ? shell : platform === "posix" ? "/bin/sh" : host.variable("ComSpec") ?? "cmd.exe"
  return platform === "windows" && /^(?:.*\\)?cmd(?:\.exe)?$/i.test(file)
    ? { file, argv0: file, args: ["/d", "/s", "/c", `"${script}"`], verbatim: true }
    : { file, argv0: file, args: ["-c", script], verbatim: false }
}

const located = (
  command: StandardCommand,
  program: Program,
  cwd: string | undefined,
  delta: EnvironmentDelta,
  { host, platform, resolve }: PlanContext,
): Planned<Program> => {
  const variable = (name: string): string | undefined => childVariable(platform, delta, host.variable, name)
  const found = resolve({
    platform,
    name: program.file,
    // execvp(3) runs in the child's directory, so Effect's spawner resolves a relative program there.
    directory: cwd ?? host.cwd() ?? "/",
    environment: variable,
    probe: host,
  }, performance.now())
  const failed = (code: string): Planned<Program> => Result.fail(spawnFailed({ command, platform }, program.file, code))
  switch (found._tag) {
    case "NotFound":
      return failed("ENOENT")
    case "NotExecutable":
      return failed("EACCES")
    case "Undecided":
      return Result.succeed(program)
    case "Found":
      return found.kind !== "batch" || program.verbatim
        ? Result.succeed({ ...program, file: found.path })
        : Result.match(cmdCall(cmdPath(variable), found.path, program.args), {
          onFailure: ({ field, problem }) => Result.fail(badArgument(`The ${field} ${problem}`)),
          onSuccess: (call) =>
            Result.succeed({ args: call.args, verbatim: call.verbatim, file: call.program, argv0: call.program }),
        })
  }
}

export const planProcess = (command: StandardCommand, context: PlanContext): Planned<SpawnRequest> =>
  Result.gen(function* () {
    const { args, options } = command
    const { platform } = context
    const shell = shellOf(options)
    if (shell !== undefined && args.length > 0) {
      return yield* Result.fail(
        badArgument("The shell option cannot be combined with arguments; pass the whole script as the command"),
      )
    }
    const invalid = invalidWord(command)
    if (invalid !== undefined) return yield* Result.fail(badArgument(invalid))
    const cwd = yield* directoryOf(command, context)
    const delta = yield* planEnvironment(command, context)
    const program = yield* located(
      command,
      shell === undefined || shell === ""
        // Checked above: every secret has its value.
        ? {
          file: command.command,
          argv0: command.command,
          args: args.map((word) => reveal(word) ?? ""),
          verbatim: false,
        }
        : shellProgram(command.command, shell, context),
      cwd,
      delta,
      context,
    )
    const env = toSpawnEnvironment(platform, delta, context.host.environment)
    if (env === undefined) {
      const why = "cannot be removed: the environment may not be read here"
      return yield* Result.fail(badArgument(`The variable ${delta.remove[0]} ${why}`))
    }
    const detached = options.detached ?? platform !== "windows"
    return {
      ...program,
      cwd,
      env,
      stdin: hostStdio(resolveInput(options).stream),
      stdout: hostStdio(resolveOutput(options.stdout)),
      stderr: hostStdio(resolveOutput(options.stderr)),
      extra: hostExtra(resolveAdditionalFds(options)),
      detached,
      hide: options.windowsHide ?? !detached,
      // A detached process may outlive this program.
      job: platform === "windows" && !detached,
    }
  })
