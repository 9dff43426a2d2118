/** Runs a request for code to its end on the shell of the context. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { Shell } from "../shell/Shell.ts"
import type { LeafRunOptions as ShellOptions, ShellBytes, ShellService } from "../shell/ShellService.ts"
import { codeErrorOfFault, codeOutcome } from "./codeOutcome.ts"
import type { CodeError } from "./CodeError.ts"
import { type CodeInput, defaultTimeout } from "./CodeRequest.ts"
import { type CodeOutput, type CodeResult, toResult } from "./CodeResult.ts"
import { findVersion } from "./findVersion.ts"
import { Interpreters } from "./Interpreter.ts"
import { type CodePlan, planCode } from "./planCode.ts"
import { OutputCollector } from "./OutputCollector.ts"

/** Options of a run that cannot be encoded: a stdin stream, a signal, a callback. */
export interface CodeOptions extends Pick<ShellOptions, "stdin" | "signal" | "onSpawn"> {}

export interface PreparedCode {
  readonly plan: CodePlan
  readonly shell: ShellService
}

const lookup = { millis: 5_000, maxOutputBytes: 65_536 }

export const prepare = (
  request: CodeInput,
  { signal, stdin }: CodeOptions,
  hasStdin: boolean = stdin !== undefined,
): Effect.Effect<PreparedCode, CodeError, Shell> =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const { platform } = shell.capabilities
    const context = { interpreters: yield* Interpreters, platform, hasStdin }
    const plan = yield* Effect.fromResult(planCode(request, context))
    const { cwd, env, extendEnv, version } = request
    if (version === undefined) return { plan, shell }
    const timeout = Math.min(lookup.millis, Duration.toMillis(plan.exec.timeout ?? defaultTimeout))
    const run = (command: string, args: ReadonlyArray<string>) => {
      const exec = ShellExec.make(command, args, { cwd, env, extendEnv, timeout })
      return collect({ plan: { ...plan, ...lookup, exec }, shell }, { signal })
    }
    const command = yield* findVersion({ plan, version, platform, run })
    return { plan: yield* Effect.fromResult(planCode(request, { ...context, command })), shell }
  })

/** Whether the output is complete. A signal, or a process that was left behind, may cut it within a character. */
export const isWhole = ({ drain, signal }: ShellOutput): boolean => drain === "eof" && signal === undefined

export const collect = (
  { plan, shell }: PreparedCode,
  options: CodeOptions,
): Effect.Effect<CodeOutput, CodeError> =>
  Effect.suspend(() => {
    const written = new OutputCollector(plan.maxOutputBytes)
    let last: ShellOutput | undefined
    const take = (batch: ReadonlyArray<ShellBytes | ShellOutput>): void => {
      for (const event of batch) {
        if (event._tag === "ShellBytes") written.push(event.stream, event.bytes)
        else last = event
      }
    }
    return Stream.runForEachArray(shell.bytes(plan.exec, options), (batch) => Effect.sync(() => take(batch))).pipe(
      Effect.mapError((fault: ShellFault) => codeErrorOfFault(plan, fault, written.take())),
      Effect.flatMap(() => {
        if (last === undefined) return Effect.die(new Error("a run ends with its ShellOutput"))
        if (isWhole(last)) written.end()
        return Effect.fromResult(codeOutcome(plan, last, written.take(), written))
      }),
    )
  })

/**
 * Runs code to its end. Succeeds if the code exits with 0 and its output is complete, else fails with one of three errors:
 *
 * - `PreExecutionError`: the code was not started (`exec: python3 not found in PATH (ENOENT)`).
 * - `ExecutionError`: the code ran and failed: an exit code, or a crash.
 * - `ResourceError`: a timeout (`exec: Process timeout after 30s (TIMEOUT)`), too much output, output that is not UTF-8, a
 *   limit. It contains the output so far.
 *
 * The interpreter and the working directory are checked before anything is started. Output is kept up to 1 MiB for both
 * streams together; beyond that the middle is left out, and the code continues to run. Line ends are not changed. At
 * the timeout (30 s) and on interruption the whole process tree gets SIGTERM, and SIGKILL after the grace. Concurrency
 * is limited by the shell.
 *
 * Stdin is closed unless there is input, so code that reads it gets the end of file instead of waiting.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const program = Code.run({ language: "bash", code: "echo so far; exit 3" }).pipe(
 *   Effect.catchTag("ExecutionError", ({ exitCode, stdout }) => Effect.succeed({ exitCode, stdout })),
 *   Effect.provide(LocalShell.layer),
 * )
 * const { exitCode, stdout } = await Effect.runPromise(program)
 * console.log(exitCode, stdout) // 3 so far
 * ```
 */
export const run = (
  request: CodeInput,
  options: CodeOptions = {},
): Effect.Effect<CodeOutput, CodeError, Shell> =>
  Effect.flatMap(prepare(request, options), (prepared) => collect(prepared, options))

/**
 * Runs code as {@link run} does, and returns one flat result for success and failure alike, as agents get it;
 * {@link CodeResult} is its Schema.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const request = { language: "bash", code: "true", cwd: "/tmp/ghost" }
 * const { error, success } = await Effect.runPromise(Effect.provide(Code.result(request), LocalShell.layer))
 * console.log(!success && error) // exec: Working directory does not exist '/tmp/ghost' (ENOENT)
 * ```
 */
export const result = (
  request: CodeInput,
  options: CodeOptions = {},
): Effect.Effect<CodeResult, never, Shell> =>
  Effect.match(run(request, options), { onFailure: toResult, onSuccess: toResult })
