/**
 * Types of a runner and its functions, without Effect.
 *
 * @module
 */
import type { Argument, TemplateArgument } from "./Argument.ts"
import type { LazyCommand } from "./LazyCommand.ts"
import type { RunOptions, SharedRunOptions } from "./RunOptions.ts"

/** The template tag `$`. */
export interface RunTag {
  /**
   * A command of a template. It never goes through a shell: each interpolation is one argument, or a part of one,
   * and a list is one argument each. Throws a `TemplateError` for what only a shell could do (`|`, `>`, `$x`, `*`).
   */
  (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateArgument>): LazyCommand
  /** The same tag, with settings for every command it makes. */
  (options: RunOptions): RunTag
}

/** Runs scripts in the shell, as a function or as a template tag. */
export interface ScriptRunner {
  /**
   * Runs a template as a script of the shell (`/bin/sh -c`). Each interpolation is one word of the script, whatever is in
   * it, and a list is one word each: it reaches the shell as a variable, never as text of the script. Write it without
   * quotes. On Windows a template with interpolations is refused with a `TemplateError`: `cmd.exe` has no safe quoting.
   */
  (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateArgument>): LazyCommand
  /** Runs a text as a script of the shell. It is run as it is: never put input of others into it. */
  (script: string, options?: RunOptions): LazyCommand
  /** The same tag, with settings for every script it makes. */
  (options: RunOptions): ScriptRunner
}

/** Settings of a runner: of its commands, and of where and how many of them run. */
export interface RunnerOptions extends SharedRunOptions {
  /** Commands that run at once. Default: 256. */
  readonly concurrencyLimit?: number | undefined
  /** Commands that wait for a place, in order; the next is `Throttled`. Default: 1,000. */
  readonly queueLimit?: number | undefined
  /** Shell of scripts. Default: `/bin/sh`; Windows: `cmd.exe`. */
  readonly defaultShell?: string | undefined
  /** Windows: `pwsh` or `powershell` instead of `cmd.exe`. Default: `false`. */
  readonly preferPowerShell?: boolean | undefined
  /** End what runs when this program ends, by itself, by an error or by a signal. Default: `true`. */
  readonly cleanup?: boolean | undefined
  /** End what runs also when this program is killed (SIGKILL). Linux only. Default: `false`. */
  readonly dieWithParent?: boolean | undefined
}

/** What a script runs commands with. */
export interface Runner {
  readonly $: RunTag
  /** Runs a program with arguments. */
  readonly run: (command: string | URL, args?: ReadonlyArray<Argument>, options?: RunOptions) => LazyCommand
  /** Runs a script in the shell. */
  readonly shell: ScriptRunner
  /** The lines of a command's stdout as they come. */
  readonly lines: (
    command: string | URL,
    args?: ReadonlyArray<Argument>,
    options?: RunOptions,
  ) => AsyncIterable<string>
  /** The bytes of a command's stdout as a Web stream. */
  readonly bytes: (
    command: string | URL,
    args?: ReadonlyArray<Argument>,
    options?: RunOptions,
  ) => ReadableStream<Uint8Array>
  /** Joins commands without a shell: each reads what the one before it writes. */
  readonly pipeline: (
    commands: readonly [LazyCommand, ...ReadonlyArray<LazyCommand>],
    options?: { readonly pipefail?: boolean },
  ) => LazyCommand
  /** The file that a program's name means here, or `undefined`. */
  readonly which: (name: string, options?: Pick<RunOptions, "cwd" | "env" | "extendEnv">) => string | undefined
}
