/** Implements just-bash's class `Bash` over the kernel: each `exec` is a shell of its own over files that last. */
import * as Effect from "effect/Effect"
import { aborted } from "../base/abort.ts"
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { runPromise } from "../base/stderrLogs.ts"
import { binaryToBytes } from "../kernel/binaryString.ts"
import { makeFolders } from "../kernel/fs/files.ts"
import { Kernel } from "../kernel/mod.ts"
import type { NetworkPolicy } from "../kernel/network/NetworkPolicy.ts"
import { Session } from "../kernel/sandbox/Session.ts"
import { ShellSession } from "../kernel/shell/ShellSession.ts"
import { shellProgram } from "../kernel/shell/ShellProgram.ts"
import { utilities } from "../kernel/utilities/Utilities.ts"
import { parse, quoteWord, walk } from "../shell-language/ShellLanguage.ts"
import { type CustomCommand, extensionOf } from "./commands.ts"
import { decodeOutput } from "./encoding.ts"
import { InMemoryFs } from "./fileSystem.ts"
import { type LimitSettings, readLimits, readNetwork, refuseOthers } from "./options.ts"
import type { BashExecResult, BashLogger, ExecOptions, ExecutionLimits, InitialFiles, NetworkConfig } from "./types.ts"

/** Options of `Bash`. Those of just-bash that it lacks are refused by name. */
export interface BashOptions {
  /** Initial files by path. Default: none. */
  readonly files?: InitialFiles | undefined
  /** Variables, in addition to `HOME` and `PATH`. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Working directory. Default: `/home/user`; `/` if there are `files`. */
  readonly cwd?: string | undefined
  /** The file system. Default: files in memory. One of another class is refused: the kernel's calls are synchronous. */
  readonly fs?: InMemoryFs | undefined
  /** Limits of each script. */
  readonly executionLimits?: ExecutionLimits | undefined
  /** As `executionLimits.maxCallDepth`, which takes precedence. */
  readonly maxCallDepth?: number | undefined
  /** As `executionLimits.maxCommandCount`, which takes precedence. */
  readonly maxCommandCount?: number | undefined
  /** As `executionLimits.maxLoopIterations`, which takes precedence. */
  readonly maxLoopIterations?: number | undefined
  /** URLs that `curl` and `wget` may request. Default: none. */
  readonly network?: NetworkConfig | undefined
  /** Names of the utilities that exist. Default: all. */
  readonly commands?: ReadonlyArray<string> | undefined
  /** Commands of the host, which take precedence over utilities of the same name. */
  readonly customCommands?: ReadonlyArray<CustomCommand> | undefined
  /** Receives scripts and their outputs. */
  readonly logger?: BashLogger | undefined
}

const optionNames: Readonly<Record<keyof BashOptions, true>> = {
  commands: true,
  customCommands: true,
  cwd: true,
  env: true,
  executionLimits: true,
  files: true,
  fs: true,
  logger: true,
  maxCallDepth: true,
  maxCommandCount: true,
  maxLoopIterations: true,
  network: true,
}

const execNames: Readonly<Record<keyof ExecOptions, true>> = {
  args: true,
  cwd: true,
  env: true,
  rawScript: true,
  replaceEnv: true,
  signal: true,
  stdin: true,
  stdinKind: true,
}

/** Adds arguments after the words of the first simple command. */
const withArguments = (script: string, args: ReadonlyArray<string>): string => {
  if (args.length === 0) return script
  let end = script.length
  const parsed = parse(script)
  if (parsed._tag === "Success") {
    walk(parsed.success, (node) => {
      if (node._tag === "SimpleCommand") end = Math.min(end, node.words.at(-1)?.span.end ?? end)
    })
  }
  return `${script.slice(0, end)} ${args.map(quoteWord).join(" ")}${script.slice(end)}`
}

/**
 * A shell as just-bash's: each {@link exec} starts with the same variables and working directory, and files last.
 *
 * @example
 * ```ts
 * import { Bash } from "@sluice/shell/just-bash"
 *
 * const bash = new Bash({ files: { "/data.txt": "b\na\n" }, env: { NAME: "Ada" } })
 * const { env, exitCode, stdout } = await bash.exec("sort /data.txt > /sorted.txt; X=1; echo $NAME")
 * console.log(exitCode, env["X"], stdout) // 0 1 Ada
 * console.log(await bash.readFile("/sorted.txt"))
 * // a
 * // b
 * ```
 */
export class Bash {
  /** The files. */
  readonly fs: InMemoryFs
  readonly #cwd: string
  readonly #env: Readonly<Record<string, string>>
  readonly #limits: LimitSettings
  readonly #network: NetworkPolicy | undefined
  readonly #options: BashOptions
  readonly #custom: Map<string, CustomCommand>

  /** Throws an `OptionError` for an option that is unknown, invalid, or one of just-bash that the sandbox lacks. */
  constructor(options: BashOptions = {}) {
    refuseOthers("just-bash: Bash", options, optionNames)
    const { customCommands = [], cwd, env, executionLimits, files, fs, network } = options
    if (fs !== undefined && !(fs instanceof InMemoryFs)) {
      throw new OptionError(
        "fs",
        "just-bash: fs: the kernel needs a file system of this module: InMemoryFs, OverlayFs or ReadWriteFs",
      )
    }
    this.#options = options
    const { maxCallDepth, maxCommandCount, maxLoopIterations } = options
    this.#limits = readLimits({ maxCallDepth, maxCommandCount, maxLoopIterations, ...executionLimits })
    this.#network = network && readNetwork(network)
    this.fs = fs ?? new InMemoryFs(files)
    this.#cwd = cwd ?? (files === undefined ? "/home/user" : "/")
    this.#env = { HOME: cwd === undefined && files === undefined ? "/home/user" : "/", PATH: "/usr/bin:/bin", ...env }
    this.#custom = new Map(customCommands.map((command) => [command.name, command]))
    makeFolders(this.fs.fileSystem, this.#cwd)
  }

  /** Runs a script. Rejects with a `SandboxError` if no shell can be started; a script that is killed has the exit code 124. */
  exec(script: string, options: ExecOptions = {}): Promise<BashExecResult> {
    return this.#exec(script, options, 0)
  }

  async #exec(script: string, options: ExecOptions, depth: number): Promise<BashExecResult> {
    refuseUnknownOptions("just-bash: exec", options, execNames)
    const { args = [], replaceEnv = false, signal, stdin, stdinKind } = options
    const { commands, logger } = this.#options
    const { kernel: limits, maxExecDepth, maxOutputBytes, shell: shellLimits, timeoutMillis } = this.#limits
    const cwd = this.fs.resolvePath(this.#cwd, options.cwd ?? ".")
    const env = { ...(replaceEnv ? {} : this.#env), ...options.env }
    if (depth > maxExecDepth) throw new Error(`just-bash: exec is nested deeper than maxExecDepth (${maxExecDepth})`)
    const programs = Object.fromEntries(
      Object.entries(utilities).filter(([name]) => commands === undefined || commands.includes(name)),
    )
    const context = {
      fs: this.fs,
      exec: (line: string, own: ExecOptions = {}): Promise<BashExecResult> => this.#exec(line, own, depth + 1),
      getRegisteredCommands: () => [...new Set([...Object.keys(programs), ...this.#custom.keys()])],
    }
    const extensions = Object.fromEntries(
      Array.from(this.#custom, ([name, command]) => [name, extensionOf(command, context)]),
    )
    const hasBuiltin = (name: string) => !(name in extensions) && (name in programs || !(name in utilities))
    const session = new ShellSession({ limits: shellLimits, hasBuiltin })
    const shell = shellProgram({ limits: shellLimits, hasBuiltin })
    const run = Effect.gen({ self: this }, function* () {
      const kernel = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Kernel.make({
            fileSystem: this.fs.fileSystem,
            programs: { ...programs, sh: shell, bash: shell },
            extensions,
            network: this.#network,
            limits,
          })
        ),
        (kernel) => Effect.sync(() => kernel.close()),
      )
      const settings = { env: Object.entries(env), cwd, timeoutMillis, maxOutputBytes, isClosed: () => false }
      const input = stdin !== undefined && stdinKind === "bytes" ? binaryToBytes(stdin) : stdin
      return yield* new Session(kernel, settings, session).run(withArguments(script, args), { input })
    })
    const killed = { stdout: "", stderr: "bash: execution aborted\n", exitCode: 124 }
    logger?.info("exec", { command: script })
    const output = await runPromise(
      Effect.scoped(run).pipe(
        Effect.map((result) => ({
          stdout: decodeOutput(result.stdoutRaw),
          stderr: decodeOutput(result.stderrRaw),
          exitCode: result.exitCode,
        })),
        Effect.catchReason("SandboxError", "Timeout", () => Effect.succeed(killed)),
        Effect.raceFirst(signal === undefined ? Effect.never : Effect.as(aborted(signal), killed)),
      ),
    )
    if (output.stdout !== "") logger?.debug("stdout", { output: output.stdout })
    if (output.stderr !== "") logger?.info("stderr", { output: output.stderr })
    logger?.info("exit", { exitCode: output.exitCode })
    return { ...output, env: session.cwd === undefined ? env : session.variables }
  }

  /** Adds a custom command. */
  registerCommand(command: CustomCommand): void {
    this.#custom.set(command.name, command)
  }

  /** Reads a file as text; a relative path starts at the working directory. */
  readFile(path: string): Promise<string> {
    return this.fs.readFile(this.fs.resolvePath(this.#cwd, path))
  }

  /** Writes a file; a relative path starts at the working directory. */
  writeFile(path: string, content: string): Promise<void> {
    return this.fs.writeFile(this.fs.resolvePath(this.#cwd, path), content)
  }

  /** Returns the working directory in which scripts start. */
  getCwd(): string {
    return this.#cwd
  }

  /** Returns the variables with which scripts start. */
  getEnv(): Record<string, string> {
    return { ...this.#env, PWD: this.#cwd }
  }
}
