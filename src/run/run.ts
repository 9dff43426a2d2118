/**
 * Running commands with promises and Web streams, for scripts that do not use Effect.
 *
 * ```ts
 * import { $, lines, run } from "@sluice/shell/run"
 *
 * const { stdout } = await $`echo ${"hello"}`
 * console.assert(stdout === "hello\n")
 * const failure = await run("sh", ["-c", "exit 3"]).catch((error) => error)
 * console.assert(failure._tag === "ShellExitError" && failure.exitCode === 3)
 * for await (const line of lines("seq", ["3"])) console.assert(Number(line) <= 3)
 * ```
 *
 * Neither this module nor its types need Effect. In the npm package it is one file with Effect inside: its classes are
 * not those of the other modules, so a program that uses both tells errors apart by `_tag`, not by `instanceof`.
 *
 * @module
 */
import { makeRunner } from "./makeRunner.ts"
import type { Dollar, Runner, ScriptRunner } from "./Runner.ts"

export type { DurationText, LongUnit, ShortUnit } from "../base/DurationText.ts"
export { OptionError } from "../base/OptionError.ts"
export type { Argument, SecretText, TemplateArgument } from "./Argument.ts"
export type { CommandPromise } from "./LazyCommand.ts"
export { type ErrorClass, type RunFaultReason, ShellExitError, ShellFault, TemplateError } from "./errors.ts"
export { makeRunner } from "./makeRunner.ts"
export { quoteCommand } from "./quoteCommand.ts"
export { retry, type RetryOptions } from "./retry.ts"
export type {
  ByteSink,
  RunDuration,
  RunFile,
  RunInput,
  RunLimits,
  RunOptions,
  RunOutput,
  RunOutputFile,
  RunStdin,
  SharedRunOptions,
  TeeTarget,
} from "./RunOptions.ts"
export type { Dollar, Runner, RunnerOptions, ScriptRunner } from "./Runner.ts"
export type { OutputChunk, RunEnd, RunEvent, RunResult, RunStage } from "./RunResult.ts"
export { secret } from "./secret.ts"
export { within } from "./within.ts"

const standard = makeRunner()

/** The template tag: see {@link Dollar}. */
export const $: Dollar = standard.$
/** Runs a program with arguments: `await run("git", ["status"])`. */
export const run: Runner["run"] = standard.run
/** Runs a script in the shell: see {@link ScriptRunner}. */
export const shell: ScriptRunner = standard.shell
/** The lines of a command's stdout: `for await (const line of lines("git", ["log"]))`. */
export const lines: Runner["lines"] = standard.lines
/** The bytes of a command's stdout as a Web `ReadableStream`. */
export const stream: Runner["stream"] = standard.stream
/** Joins commands without a shell: `await pipeline([$`git log`, $`head -n 3`])`. */
export const pipeline: Runner["pipeline"] = standard.pipeline
/** The file that a program's name means here, or `undefined`: `which("git")`. */
export const which: Runner["which"] = standard.which
