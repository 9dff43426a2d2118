/**
 * Implements just-bash's `Bash` and `defineCommand` over the sandbox, so that programs switch by changing one import.
 *
 * @module
 * @stability experimental
 */
import * as Effect from "effect/Effect"
import { aborted } from "../base/abort.ts"
import { runPromise } from "../base/stderrLogs.ts"
import { makeFolders } from "../kernel/fs/files.ts"
import { Kernel } from "../kernel/mod.ts"
import type { Extension, ExtensionContext, ExtensionExecOptions } from "../kernel/public/Extension.ts"
import { toAbsolutePath } from "../kernel/sandbox/SandboxFiles.ts"
import type { SandboxOptions } from "../kernel/sandbox/SandboxOptions.ts"
import type { ScriptResult } from "../kernel/sandbox/Script.ts"
import { Session } from "../kernel/sandbox/Session.ts"
import { shellProgram } from "../kernel/shell/ShellProgram.ts"
import { ShellSession } from "../kernel/shell/ShellSession.ts"
import { utilities } from "../kernel/utilities/Utilities.ts"
import { quoteWord } from "../shell-language/ShellLanguage.ts"
import { InMemoryFs } from "./fileSystem.ts"
import { refuseOtherOptions } from "./options.ts"

export { InMemoryFs, OverlayFs, ReadWriteFs } from "./fileSystem.ts"

/** Options of `Bash`; `cwd` is `/` by default if there are `files`. Others of just-bash are refused by name. */
export interface BashOptions extends Pick<SandboxOptions, "cwd" | "env" | "files"> {
  /** The file system, instead of `files`. Default: in memory. */
  readonly fs?: InMemoryFs | undefined
  /** Limits of each script. Defaults: 100 nested calls, 100,000 commands and iterations, 60,000 ms, 64 MiB of output. */
  readonly executionLimits?:
    | {
      readonly [
        Name in
          | ("maxCallDepth" | "maxCommandCount" | "maxExecutionTimeMs" | "maxFileDescriptors")
          | ("maxLoopIterations" | "maxOutputSize" | "maxStringLength")
      ]?: number | undefined
    }
    | undefined
  /** URLs at public addresses that `curl` and `wget` may request, with GET and HEAD by default. Default: none. */
  readonly network?: { readonly [Name in "allowedUrlPrefixes" | "allowedMethods"]?: ReadonlyArray<string> } | undefined
  /** Names of the utilities that exist. Default: all. */
  readonly commands?: ReadonlyArray<string> | undefined
  /** Commands of the host, which take precedence over utilities of the same name. */
  readonly customCommands?: ReadonlyArray<CustomCommand> | undefined
}

/** Options of `Bash.exec`. */
export interface ExecOptions extends Pick<ExtensionExecOptions, "cwd" | "env" | "signal"> {
  /** Start without the variables of the `Bash`. Default: `false`. */
  readonly replaceEnv?: boolean | undefined
  /** No effect: a script always runs unchanged. By default just-bash removes leading white space from its lines. */
  readonly rawScript?: boolean | undefined
  /** Stdin of the script. Default: nothing. */
  readonly stdin?: string | undefined
  /** Arguments that are added to the script, which is one command, without being parsed. */
  readonly args?: ReadonlyArray<string> | undefined
}

/** Exit code and outputs of a command. */
export type ExecResult = Pick<ScriptResult, "stdout" | "stderr" | "exitCode">

/** The call of a custom command, besides its arguments. */
export interface CommandContext extends Pick<ExtensionContext, "cwd" | "signal"> {
  /** The files of the `Bash`. */
  readonly fs: InMemoryFs
  /** Exported variables. */
  readonly env: Map<string, string>
  /** The whole stdin, as UTF-8. More than 64 MiB is an error. */
  readonly stdin: string
  /** Runs a script with the variables, the folder and the limits of the command, until the command ends. */
  readonly exec: (script: string, options?: Omit<ExecOptions, "rawScript" | "replaceEnv">) => Promise<ExecResult>
}

/** A custom command, or one that is loaded at its first use. An error that it throws is written to stderr: exit code 1. */
export type CustomCommand =
  | { readonly name: string; execute(args: Array<string>, context: CommandContext): Promise<ExecResult> }
  | { readonly name: string; readonly load: () => Promise<Extract<CustomCommand, { execute: unknown }>> }

/**
 * Makes a custom command of a function.
 *
 * @example
 * ```ts
 * import { Bash, defineCommand } from "@sluice/shell/just-bash"
 *
 * const hello = defineCommand("hello", async ([name]) => ({ stdout: `hello ${name}\n`, stderr: "", exitCode: 0 }))
 * const bash = new Bash({ customCommands: [hello] })
 * console.log((await bash.exec("hello Ada | rev")).stdout) // adA olleh
 * ```
 */
export const defineCommand = (
  name: string,
  execute: (args: Array<string>, context: CommandContext) => Promise<ExecResult>,
): Extract<CustomCommand, { execute: unknown }> => ({ name, execute })

const withArguments = (script: string, args: ReadonlyArray<string> = []): string => {
  if (args.length > 0 && /[\n;&|#]/.test(script)) refuseOtherOptions("just-bash: exec", { args })
  return [script, ...args.map(quoteWord)].join(" ")
}

const extensionOf = (command: CustomCommand, fs: InMemoryFs): Extension => async (args, _, context) => {
  const { cwd, env, exec: run, readStdin, signal } = context
  const { execute } = "load" in command ? await command.load() : command
  const exec: CommandContext["exec"] = (script, { args, stdin: input, ...options } = {}) =>
    run(withArguments(script, args), { ...options, input })
  const stdin = await readStdin()
  const result = await execute([...args], { fs, cwd, signal, exec, stdin, env: new Map(Object.entries(env)) })
  refuseOtherOptions(`just-bash: the result of ${command.name}`, { stdoutKind: "stdoutKind" in result })
  return result
}

const readLimits = (limits: BashOptions["executionLimits"] = {}) => {
  const { maxCallDepth: maxDepth = 100, maxCommandCount: maxCommands = 100_000, maxStringLength, ...rest } = limits
  const { maxFileDescriptors: maxDescriptors, maxLoopIterations: maxIterations = 100_000, ...run } = rest
  const { maxExecutionTimeMs: timeoutMillis = 60_000, maxOutputSize: maxOutputBytes = 67_108_864, ...others } = run
  refuseOtherOptions("just-bash: executionLimits", others)
  const shell = { maxDepth, maxCommands, maxIterations, maxValueLength: maxStringLength }
  return { kernel: { maxDescriptors }, session: { timeoutMillis, maxOutputBytes }, shell }
}

/** A prefix allows its path and what is below it: `/v1` allows `/v1/users`, not `/v10`. */
const readNetwork = (config: NonNullable<BashOptions["network"]>) => {
  const { allowedMethods: methods = ["GET", "HEAD"], allowedUrlPrefixes = [], ...others } = config
  refuseOtherOptions("just-bash: network", others)
  return allowedUrlPrefixes.map((prefix) => {
    if (!URL.canParse(prefix)) refuseOtherOptions("just-bash: network", { allowedUrlPrefixes })
    const { origin, pathname } = new URL(prefix)
    return { origin, methods, paths: pathname.endsWith("/") ? [`${pathname}*`] : [pathname, `${pathname}/*`] }
  })
}

const readOptions = (options: BashOptions) => {
  const { commands, customCommands = [], cwd, env, executionLimits, files, fs, network, ...others } = options
  refuseOtherOptions("just-bash: Bash", fs && (files || !(fs instanceof InMemoryFs)) ? { fs } : others)
  const folder = cwd ?? (files === undefined ? "/home/user" : "/")
  return {
    customCommands,
    cwd: folder,
    env: { HOME: cwd === undefined ? folder : "/", PATH: "/usr/bin:/bin", ...env },
    fs: fs ?? new InMemoryFs(files),
    limits: readLimits(executionLimits),
    network: network && { origins: readNetwork(network) },
    programs: Object.fromEntries(Object.entries(utilities).filter(([name]) => commands?.includes(name) ?? true)),
  }
}

/** A shell as just-bash's: each {@link exec} starts with the same variables and working directory, and files last. */
export class Bash {
  /** The files. */
  readonly fs: InMemoryFs
  readonly #settings: ReturnType<typeof readOptions>
  readonly #extensions = new Map<string, Extension>()

  /** Throws an `OptionError` for an option that is unknown, invalid, or one of just-bash that the sandbox lacks. */
  constructor(options: BashOptions = {}) {
    this.#settings = readOptions(options)
    this.fs = this.#settings.fs
    this.#settings.customCommands.forEach(this.registerCommand)
    makeFolders(this.fs.fileSystem, this.getCwd())
  }

  /** Runs a script. Rejects with a `SandboxError` if no shell can be started. One that is killed has the exit code 124. */
  async exec(script: string, options: ExecOptions = {}): Promise<ExecResult & { env: Record<string, string> }> {
    const { args, cwd = "", env: added, rawScript: _, replaceEnv = false, signal, stdin: input, ...others } = options
    refuseOtherOptions("just-bash: exec", others)
    const { fs: { fileSystem }, limits, network, programs } = this.#settings
    const hasBuiltin = (name: string) => !this.#extensions.has(name) && (name in programs || !(name in utilities))
    const shell = { limits: limits.shell, hasBuiltin }
    const all = { ...programs, bash: shellProgram(shell), sh: shellProgram(shell) }
    const extensions = Object.fromEntries(this.#extensions)
    const kernel = Kernel.make({ fileSystem, programs: all, extensions, network, limits: limits.kernel })
    const state = new ShellSession(shell)
    const env = { ...replaceEnv ? {} : this.#settings.env, ...added }
    const start = { env: Object.entries(env), cwd: toAbsolutePath(this.getCwd(), cwd), isClosed: () => false }
    const session = new Session(kernel, { ...limits.session, ...start, scheduler: undefined }, state)
    const killed = { stdout: "", stderr: "bash: execution aborted\n", exitCode: 124 }
    const run = session.run(withArguments(script, args), { input }).pipe(
      Effect.catchReason("SandboxError", "Timeout", () => Effect.succeed(killed)),
      Effect.raceFirst(signal === undefined ? Effect.never : Effect.as(aborted(signal), killed)),
      Effect.ensuring(Effect.sync(() => kernel.close())),
    )
    const { exitCode, stderr, stdout } = await runPromise(run)
    return { exitCode, stderr, stdout, env: state.cwd === undefined ? env : state.variables }
  }

  /** Adds a custom command. */
  readonly registerCommand = (command: CustomCommand): void =>
    void this.#extensions.set(command.name, extensionOf(command, this.fs))

  /** Reads a file as text; a relative path starts at the working directory. */
  readonly readFile = (path: string): Promise<string> => this.fs.readFile(toAbsolutePath(this.#settings.cwd, path))

  /** Writes a file; a relative path starts at the working directory. */
  readonly writeFile = (path: string, content: string): Promise<void> =>
    this.fs.writeFile(toAbsolutePath(this.#settings.cwd, path), content)

  /** Returns the working directory in which scripts start. */
  readonly getCwd = (): string => this.#settings.cwd

  /** Returns the variables with which scripts start. */
  readonly getEnv = (): Record<string, string> => ({ ...this.#settings.env, PWD: this.#settings.cwd })
}
