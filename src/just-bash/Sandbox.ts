/** Implements just-bash's class `Sandbox`, whose methods are those of Vercel's sandbox, over `Bash`. */
import { quoteWord } from "../shell-language/ShellLanguage.ts"
import { Bash, type BashOptions } from "./Bash.ts"
import { InMemoryFs, OverlayFs } from "./fileSystem.ts"
import type { BashExecResult, ExecOptions } from "./types.ts"

/** Options of `Sandbox.create`: those of `Bash`, a time limit, and a folder of this machine. */
export interface SandboxOptions extends Omit<BashOptions, "files" | "logger"> {
  /** Time of each command in milliseconds. Default: that of `executionLimits`. */
  readonly timeoutMs?: number | undefined
  /** A folder of this machine, mounted at `/home/user/project`; changes stay in memory. */
  readonly overlayRoot?: string | undefined
}

/** A command of `Sandbox.runCommand`. */
export interface RunCommandParams {
  /** A program, or without `args` a script. */
  readonly cmd: string
  /** Its arguments, which are not parsed. */
  readonly args?: ReadonlyArray<string> | undefined
  /** Working directory. */
  readonly cwd?: string | undefined
  /** Additional variables. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** No effect: there is one user. */
  readonly sudo?: boolean | undefined
  /** Return the command at once. Default: `false`. */
  readonly detached?: boolean | undefined
  /** Gets stdout when the command has ended. */
  readonly stdout?: { write(text: string): unknown } | undefined
  /** Gets stderr when the command has ended. */
  readonly stderr?: { write(text: string): unknown } | undefined
  /** Kills the command. */
  readonly signal?: AbortSignal | undefined
}

/** An output of a command. */
export interface OutputMessage {
  /** The output. */
  readonly type: "stdout" | "stderr"
  /** The text. */
  readonly data: string
  /** When it was read. */
  readonly timestamp: Date
}

/** A command of a `Sandbox`. */
export class Command {
  /** A random UUID. */
  readonly cmdId: string = crypto.randomUUID()
  /** When it was started. */
  readonly startedAt: Date = new Date()
  /** Its working directory. */
  readonly cwd: string
  /** Its exit code once it has ended; 124 if it was killed. */
  exitCode: number | undefined
  readonly #result: Promise<BashExecResult>
  readonly #killed = new AbortController()

  /** Starts a script. */
  constructor(bash: Bash, script: string, { signal, ...options }: ExecOptions, timeoutMs: number | undefined) {
    this.cwd = options.cwd ?? bash.getCwd()
    const signals = [this.#killed.signal, signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)]
    this.#result = bash.exec(script, {
      ...options,
      signal: AbortSignal.any(signals.filter((each) => each !== undefined)),
    })
    this.#result.then(({ exitCode }) => void (this.exitCode = exitCode), () => {})
  }

  /** Yields stdout and stderr when it has ended. */
  async *logs(): AsyncGenerator<OutputMessage, void, unknown> {
    const result = await this.#result
    for (const type of ["stdout", "stderr"] as const) {
      if (result[type] !== "") yield { type, data: result[type], timestamp: new Date() }
    }
  }

  /** Waits until it has ended. */
  async wait(): Promise<CommandFinished> {
    const { exitCode } = await this.#result
    return Object.assign(this, { exitCode })
  }

  /** Returns stdout and stderr, one after the other. */
  async output(): Promise<string> {
    return await this.stdout() + await this.stderr()
  }

  /** Returns stdout. */
  async stdout(): Promise<string> {
    return (await this.#result).stdout
  }

  /** Returns stderr. */
  async stderr(): Promise<string> {
    return (await this.#result).stderr
  }

  /** Kills it. */
  kill(): Promise<void> {
    return Promise.resolve(this.#killed.abort())
  }
}

/** A command that has ended. */
export type CommandFinished = Command & { readonly exitCode: number }

/**
 * just-bash's sandbox with the methods of Vercel's: commands and files.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/just-bash"
 *
 * const sandbox = await Sandbox.create({ cwd: "/app" })
 * await sandbox.writeFiles({ "/app/names.txt": "Grace\nAda\n" })
 * const command = await sandbox.runCommand("sort", ["names.txt"])
 * console.log(command.exitCode, await command.stdout())
 * // 0 Ada
 * // Grace
 * ```
 */
export class Sandbox {
  /** The `Bash` whose scripts the commands are. */
  readonly bashEnvInstance: Bash
  /** There is no server in it. */
  readonly domain: undefined = undefined
  readonly #timeoutMs: number | undefined

  private constructor(bash: Bash, timeoutMs: number | undefined) {
    this.bashEnvInstance = bash
    this.#timeoutMs = timeoutMs
  }

  /** Makes a sandbox. Rejects as `new Bash` throws. */
  static create({ overlayRoot, timeoutMs, ...options }: SandboxOptions = {}): Promise<Sandbox> {
    return new Promise((resolve) => {
      const fs = overlayRoot === undefined ? options.fs ?? new InMemoryFs() : new OverlayFs({ root: overlayRoot })
      const cwd = fs instanceof OverlayFs ? fs.getMountPoint() : undefined
      resolve(new Sandbox(new Bash({ cwd, ...options, fs }), timeoutMs))
    })
  }

  /** Starts a command. */
  runCommand(params: RunCommandParams & { readonly detached: true }): Promise<Command>
  /** Runs a command to its end. */
  runCommand(params: RunCommandParams): Promise<CommandFinished>
  /** Runs a program with arguments to its end. */
  runCommand(
    command: string,
    args: ReadonlyArray<string>,
    options?: Pick<ExecOptions, "signal">,
  ): Promise<CommandFinished>
  /** Runs a script to its end. */
  runCommand(command: string, options?: Pick<ExecOptions, "cwd" | "env">): Promise<CommandFinished>
  async runCommand(
    first: string | RunCommandParams,
    second: ReadonlyArray<string> | Pick<ExecOptions, "cwd" | "env"> = {},
    third: Pick<ExecOptions, "signal"> = {},
  ): Promise<Command> {
    const given: RunCommandParams = typeof first !== "string"
      ? first
      : Array.isArray(second)
      ? { cmd: first, args: second, ...third }
      : { cmd: first, ...second }
    const { args, cmd, cwd, detached = false, env, signal, stderr, stdout } = given
    const script = args === undefined ? cmd : [cmd, ...args].map(quoteWord).join(" ")
    const command = new Command(this.bashEnvInstance, script, { cwd, env, signal }, this.#timeoutMs)
    if (detached) return command
    const finished = await command.wait()
    stdout?.write(await command.stdout())
    stderr?.write(await command.stderr())
    return finished
  }

  /** Writes files. Missing folders on the way are made. */
  async writeFiles(
    files: Readonly<Record<string, string | { readonly content: string; readonly encoding?: "utf-8" | "base64" }>>,
  ): Promise<void> {
    for (const [path, file] of Object.entries(files)) {
      const { content, encoding } = typeof file === "string" ? { content: file, encoding: undefined } : file
      await this.bashEnvInstance.fs.writeFile(this.#at(path), content, encoding)
    }
  }

  /** Reads a file. */
  readFile(path: string, encoding?: "utf-8" | "base64"): Promise<string> {
    return this.bashEnvInstance.fs.readFile(this.#at(path), encoding)
  }

  /** Makes a folder. */
  mkDir(path: string, options?: { readonly recursive?: boolean }): Promise<void> {
    return this.bashEnvInstance.fs.mkdir(this.#at(path), options)
  }

  /** No effect, as in just-bash: nothing runs between commands. */
  async stop(): Promise<void> {}

  /** No effect, as in just-bash. */
  async extendTimeout(_milliseconds: number): Promise<void> {}

  #at(path: string): string {
    return this.bashEnvInstance.fs.resolvePath(this.bashEnvInstance.getCwd(), path)
  }
}
