/** Declares a runner, its template tags and its options, without types of Effect. */
import type { Argument, TemplateArgument } from "./Argument.ts"
import type { LazyCommand } from "./LazyCommand.ts"
import type { RunOptions, SharedRunOptions } from "./RunOptions.ts"
import type { MockCommand, MockResult } from "./StandIn.ts"

/** The template tag `$`. */
export interface RunTag {
  /**
   * Makes a command of a template, never through a shell: an interpolation is one argument or a part of one, and a list
   * is one argument for each element. Throws a `TemplateError` for syntax that needs a shell (`|`, `>`, `$x`, `*`).
   */
  (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateArgument>): LazyCommand
  /** The same tag with options for its commands. */
  (options: RunOptions): RunTag
}

/** Runs scripts in a shell, as a function or as a template tag. */
export interface ScriptRunner {
  /**
   * Runs a template as a script (`/bin/sh -c`, or in the portable shell: see {@link RunOptions.shell}). An interpolation is
   * one word of the script, a list one word for each element: values reach the shell as variables, never as text of the
   * script. Write them without quotes. Throws a `TemplateError` for interpolations in a script of `cmd.exe` or PowerShell,
   * which have no safe quoting.
   */
  (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateArgument>): LazyCommand
  /** Runs a text as a script, unchanged: never insert untrusted input. */
  (script: string, options?: RunOptions): LazyCommand
  /** The same tag with options for its scripts. */
  (options: RunOptions): ScriptRunner
}

/** Options of a runner: those of its commands, and its limits. */
export interface RunnerOptions extends SharedRunOptions {
  /** Maximum number of commands that run at once. Default: 256. */
  readonly maxConcurrency?: number | undefined
  /** Maximum number of commands that wait, in order; a further one faults with `Throttled`. Default: 1,000. */
  readonly maxQueued?: number | undefined
  /** Shell of the system's scripts. Default: `/bin/sh`; Windows: `cmd.exe`, with the option `shell: "system"`. */
  readonly defaultShell?: string | undefined
  /** Whether scripts on Windows run in `pwsh` or `powershell`. Default: `false`. */
  readonly preferPowerShell?: boolean | undefined
  /**
   * Whether running commands are ended when this program ends: by itself, by an error or by a signal. Default: `true`.
   */
  readonly cleanup?: boolean | undefined
  /** Whether running commands are ended also when this program is killed (SIGKILL). Linux only. Default: `false`. */
  readonly dieWithParent?: boolean | undefined
  /**
   * Answers all commands, for tests, with a result or a text as stdout; no process is started. `undefined` is for a command
   * that the test does not expect: it rejects with a `ShellFault` (`EUNSCRIPTED`).
   */
  readonly mock?: ((command: MockCommand) => MockResult | string | undefined) | undefined
  /**
   * File of recorded commands, for tests. `mode`: `"record"` runs the commands, and adds each to a new file when it
   * ends; `"replay"` answers all commands from the file; `"auto"`, the default, records only if the file does not
   * exist.
   */
  readonly record?:
    | { readonly file: string | URL; readonly mode?: "record" | "replay" | "auto" | undefined }
    | undefined
  /**
   * Whether commands only write a description to stdout: the program as it was found, arguments, directory, environment,
   * limits. Missing programs and directories still reject. Default: `false`.
   */
  readonly dryRun?: boolean | undefined
}

/**
 * The functions of a runner.
 *
 * @stability stable
 */
export interface Runner {
  readonly $: RunTag
  /** Runs a program with arguments. */
  readonly run: (command: string | URL, args?: ReadonlyArray<Argument>, options?: RunOptions) => LazyCommand
  /** Runs a script in the shell. */
  readonly shell: ScriptRunner
  /** Reads the lines of a command's stdout as they arrive. */
  readonly lines: (
    command: string | URL,
    args?: ReadonlyArray<Argument>,
    options?: RunOptions,
  ) => AsyncIterable<string>
  /** Connects commands without a shell: each reads the output of the one before it. */
  readonly pipeline: (
    commands: readonly [LazyCommand, ...ReadonlyArray<LazyCommand>],
    options?: { readonly pipefail?: boolean },
  ) => LazyCommand
  /** Finds the file of a program; `undefined` if it is not found. */
  readonly which: (name: string, options?: Pick<RunOptions, "cwd" | "env" | "extendEnv">) => string | undefined
}
