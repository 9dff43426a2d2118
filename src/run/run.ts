/**
 * Running commands with promises and Web streams, for scripts that do not use Effect.
 *
 * ```ts
 * import { $, lines, run } from "@sluice/shell/run"
 *
 * const { stdout } = await $`echo ${"hello"}`
 * console.assert(stdout === "hello\n")
 * console.assert((await run("sh", ["-c", "exit 3"])).exitCode === 3)
 * for await (const line of lines("seq", ["3"])) console.assert(Number(line) <= 3)
 * ```
 *
 * @module
 */
import * as Result from "effect/Result"
import { ShellExec } from "../command/ShellExec.ts"
import type { Word } from "../command/Secret.ts"
import { template, type TemplateValue } from "../command/template.ts"
import { currentHost } from "../leaves/local/currentHost.ts"
import { type LocalShellOptions, settingsOf } from "../leaves/local/LocalShellOptions.ts"
import { makeLocalShell } from "../leaves/local/makeLocalShell.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { CommandPromise } from "./CommandPromise.ts"
import { partInput, type RunOptions } from "./RunOptions.ts"

export { ShellFault } from "../command/ShellFault.ts"
export { TemplateError } from "../command/template.ts"
export type { LocalShellOptions } from "../leaves/local/LocalShellOptions.ts"
export { CommandPromise, type RunResult } from "./CommandPromise.ts"
export type { RunInput, RunOptions } from "./RunOptions.ts"

/** The template tag `$`. */
export interface Dollar {
  /**
   * A command of a template. It never goes through a shell: each interpolation is one argument, or a part of one,
   * and a list is one argument each. Throws a `TemplateError` for what only a shell could do (`|`, `>`, `$x`, `*`).
   */
  (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): CommandPromise
  /** The same tag, with settings for every command it makes. */
  (options: RunOptions): Dollar
}

/** What a script runs commands with. */
export interface Runner {
  readonly $: Dollar
  /** Runs a program with arguments. */
  readonly run: (command: string, args?: ReadonlyArray<Word>, options?: RunOptions) => CommandPromise
  /** Runs a script in the shell (`/bin/sh -c`). Whoever writes the script is trusted. */
  readonly shell: (script: string, options?: RunOptions) => CommandPromise
  /** The lines of a command's stdout as they come. */
  readonly lines: (command: string, args?: ReadonlyArray<Word>, options?: RunOptions) => AsyncIterable<string>
  /** The bytes of a command's stdout as a Web stream. */
  readonly stream: (
    command: string,
    args?: ReadonlyArray<Word>,
    options?: RunOptions,
  ) => ReadableStream<Uint8Array>
}

/**
 * Makes a runner with settings of its own for where and how many commands run. Default limit: 256 at once, since
 * nobody expects a script's fifth server to wait for the other four.
 */
export const makeRunner = (settings: LocalShellOptions = {}): Runner => {
  let service: ShellService | undefined
  const shellOf = (): ShellService => {
    if (service !== undefined) return service
    const host = currentHost()
    if (host === undefined) throw new Error("Commands need Deno, Bun or Node: this runtime starts no processes.")
    return service = makeLocalShell(host, settingsOf({ concurrencyLimit: 256, ...settings }))
  }
  const promise = (exec: ShellExec, options: RunOptions): CommandPromise =>
    new CommandPromise(shellOf, [{ exec, options }], false)
  const run = (command: string, args: ReadonlyArray<Word> = [], options: RunOptions = {}): CommandPromise =>
    promise(ShellExec.make(command, args, execOptions(options)), options)
  const tagWith = (options: RunOptions): Dollar => {
    function tag(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): CommandPromise
    function tag(more: RunOptions): Dollar
    function tag(
      first: TemplateStringsArray | RunOptions,
      ...values: ReadonlyArray<TemplateValue>
    ): CommandPromise | Dollar {
      if (!isTemplate(first)) return tagWith({ ...options, ...first })
      return promise(Result.getOrThrow(template(first, values, execOptions(options))), options)
    }
    return tag
  }
  return {
    $: tagWith({}),
    run,
    shell: (script, options = {}) => promise(ShellExec.shell(script, execOptions(options)), options),
    lines: (command, args, options) => run(command, args, options).lines(),
    stream: (command, args, options) => run(command, args, options).stream(),
  }
}

const isTemplate = (u: TemplateStringsArray | RunOptions): u is TemplateStringsArray => Array.isArray(u)

const execOptions = ({ cwd, env, input, signal: _signal, ...rest }: RunOptions) => {
  const { value } = partInput(input)
  return {
    ...rest,
    ...(cwd === undefined ? undefined : { workingDirectory: cwd }),
    ...(env === undefined ? undefined : { environment: env }),
    ...(value === undefined ? undefined : { input: value }),
  }
}

const standard = makeRunner()

/** The template tag: see {@link Dollar}. */
export const $: Dollar = standard.$
/** Runs a program with arguments: `await run("git", ["status"])`. */
export const run: Runner["run"] = standard.run
/** Runs a script in the shell: `await shell("ls | wc -l")`. */
export const shell: Runner["shell"] = standard.shell
/** The lines of a command's stdout: `for await (const line of lines("git", ["log"]))`. */
export const lines: Runner["lines"] = standard.lines
/** The bytes of a command's stdout as a Web `ReadableStream`. */
export const stream: Runner["stream"] = standard.stream
