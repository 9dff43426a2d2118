/**
 * Public module that runs programs, scripts and pipelines with promises and Web streams, without Effect: default
 * functions, runners, `within`, `retry`, quoting, secrets and errors.
 *
 * ```ts
 * import { $, lines, run } from "@sluice/shell/run"
 *
 * const { stdout } = await $`echo ${"hello"}`
 * console.log(stdout) // hello
 * const failure = await run("sh", ["-c", "exit 3"]).catch((error) => error)
 * console.log(failure._tag === "ShellExitError" && failure.exitCode) // 3
 * for await (const line of lines("seq", ["3"])) console.log(line)
 * // 1
 * // 2
 * // 3
 * ```
 *
 * Neither this module nor its types need Effect. In the npm package this module bundles Effect, so its error classes
 * differ from those of the other modules: a program that uses both must check errors by `_tag`, not by `instanceof`.
 *
 * Unlike execa, zx or dax it has the process trees, limits and faults of the Effect modules, on three runtimes.
 *
 * @module
 * @stability stable
 */
import { makeRunner } from "./makeRunner.ts"
import type { Runner as RunnerMembers, RunnerOptions, RunTag, ScriptRunner } from "./Runner.ts"

export type { Argument, SecretText, TemplateArgument } from "./Argument.ts"
export type { LazyCommand } from "./LazyCommand.ts"
export {
  type ErrorClass,
  OptionError,
  type RunFaultReason,
  ShellExitError,
  ShellFault,
  TemplateError,
} from "./errors.ts"
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
export type { MockCommand, MockResult } from "./StandIn.ts"
export type { RunnerOptions, RunTag, ScriptRunner } from "./Runner.ts"
export type { OutputChunk, RunEnd, RunEvent, RunResult, RunStage } from "./RunResult.ts"
export { secret } from "./secret.ts"
export { OutputError, type StandardResult, type StandardSchema } from "./StandardSchema.ts"
export type { ScriptTerminal } from "./ScriptTerminal.ts"
export { UsageError } from "./UsageError.ts"
export { within } from "./within.ts"

/**
 * The functions that run commands, with options of their own; made by `Runner.make`.
 *
 * @stability stable
 */
export interface Runner extends RunnerMembers {}

/**
 * Makes runners: `Runner.make(options)` gives `$`, `run`, `shell` and the others with these options for all commands.
 *
 * @example
 * ```ts
 * import { Runner } from "@sluice/shell/run"
 *
 * const { $ } = Runner.make({ cwd: "/", timeout: "10s", check: [0, 1] })
 * console.log((await $`sh -c ${"pwd; exit 1"}`).stdout) // /
 * ```
 *
 * @stability stable
 */
export const Runner: {
  /**
   * Makes a runner. At most 256 of its commands run at once by default, since a script's fifth server should not wait
   * for the other four.
   */
  readonly make: (options?: RunnerOptions) => Runner
} = { make: makeRunner }

const defaultRunner: Runner = makeRunner()

/**
 * Template tag that makes a command: `` $`git log -n ${5}` ``. Never runs a shell.
 *
 * @example
 * ```ts
 * import { $ } from "@sluice/shell/run"
 *
 * const files = ["a file", "b"]
 * console.log(await $`printf ${"<%s>"} ${files}`.text()) // <a file><b>
 * const tolerant = $({ check: false })
 * console.log((await tolerant`sh -c ${"exit 3"}`).exitCode) // 3
 * ```
 *
 * @stability stable
 */
export const $: RunTag = defaultRunner.$

/**
 * Runs a program with a list of arguments: `await run("git", ["status"])`.
 *
 * @example
 * ```ts
 * import { run } from "@sluice/shell/run"
 *
 * const { stdout } = await run("printf", ["%s-", 1, "two words"], { timeout: "10s" })
 * console.log(stdout) // 1-two words-
 * ```
 *
 * @stability stable
 */
export const run: Runner["run"] = defaultRunner.run

/**
 * Runs a script in the system's shell, or in the portable one where there is none: `` await shell`ls | wc -l` ``.
 *
 * @example
 * ```ts
 * import { shell } from "@sluice/shell/run"
 *
 * const { stdout } = await shell`echo ${"it's"} | tr a-z A-Z`
 * console.log(stdout) // IT'S
 * ```
 *
 * @stability stable
 */
export const shell: ScriptRunner = defaultRunner.shell

/**
 * Reads the lines of a command's stdout as they arrive: `for await (const line of lines("git", ["log"]))`.
 *
 * @example
 * ```ts
 * import { lines } from "@sluice/shell/run"
 *
 * const found: Array<string> = []
 * for await (const line of lines("seq", ["3"])) found.push(line)
 * console.log(found.join()) // 1,2,3
 * ```
 *
 * @stability stable
 */
export const lines: Runner["lines"] = defaultRunner.lines

/**
 * Connects commands without a shell: `` await pipeline([$`git log`, $`head -n 3`]) ``.
 *
 * @example
 * ```ts
 * import { $, pipeline } from "@sluice/shell/run"
 *
 * const { stages, stdout } = await pipeline([$`seq 10`, $`tail -n 1`])
 * console.log([stdout, stages?.length]) // [ '10\n', 2 ]
 * ```
 *
 * @stability stable
 */
export const pipeline: Runner["pipeline"] = defaultRunner.pipeline

/**
 * Finds the file that a program's name refers to: `which("git")`. `undefined` if it is not found.
 *
 * @example
 * ```ts
 * import { which } from "@sluice/shell/run"
 *
 * console.log(which("sh") !== undefined) // true
 * console.log(which("no-such-program")) // undefined
 * ```
 *
 * @stability stable
 */
export const which: Runner["which"] = defaultRunner.which
