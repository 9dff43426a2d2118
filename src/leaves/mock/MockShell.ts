/** Makes the mock leaf, whose commands follow a script and start no process. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import { MockScriptError } from "../../branch/MockScriptError.ts"
import type { OptionError } from "../../base/OptionError.ts"
import { Shell } from "../../shell/Shell.ts"
import { makeMock, type MockCall, type MockService } from "./makeMock.ts"
import type { MockStep } from "./MockStep.ts"
import type { MockAnswer, MockMatcher, MockRule, MockScript } from "./MockScript.ts"
import type { MockShellOptions } from "./MockShellOptions.ts"

export { MockScriptError } from "../../branch/MockScriptError.ts"
export type { MockCall, MockService } from "./makeMock.ts"
export type { MockAnswer, MockMatcher, MockRule, MockScript } from "./MockScript.ts"
export type { MockShellOptions } from "./MockShellOptions.ts"

const Base: Context.ServiceClass<MockShell, "@sluice/shell/MockShell", MockService> = Context.Service<
  MockShell,
  MockService
>()("@sluice/shell/MockShell")

const isAnswer = (answer: ReadonlyArray<MockStep> | readonly [MockAnswer]): answer is readonly [MockAnswer] =>
  answer.length === 1

/**
 * A Shell for tests: each command follows a script, through the same code as on a real leaf. Admission, timeouts, budgets,
 * chunking, back-pressure, cancellation and grace periods are real, and all times are those of the program's clock, so that
 * `TestClock` controls them. No process is started.
 *
 * Each write of a step is read separately: a text that ends with a newline is one chunk. An unscripted command fails with
 * `Unknown` and code `EUNSCRIPTED` (not `NotFound`, which a program may handle); the message has the most similar rule.
 *
 * The environment, working directory and limits of a command are recorded in {@link MockShell.calls} and have no effect.
 *
 * @example
 * ```ts
 * import { Shell, cmd } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { stdout } = yield* Shell.run(cmd`git status --short`)
 *   if (stdout !== "") yield* Shell.run(cmd`git commit --all --message ${"Save"}`)
 *   const calls = yield* MockShell.calls
 *   return calls.map(({ exec }) => exec.arguments[0])
 * })
 *
 * const shell = MockShell.layer([
 *   MockShell.on(cmd`git status --short`, MockRun.stdout(" M a.ts\n")),
 *   MockShell.on("git", MockRun.exit(0)),
 * ])
 * const commands = await Effect.runPromise(program.pipe(Effect.provide(shell)))
 * console.log(commands.join()) // status,commit
 * ```
 */
export class MockShell extends Base {
  /** Makes a mock; its `shell` is the service. Fails with an `OptionError` for an invalid option. */
  static make(script: MockScript, options: MockShellOptions = {}): Effect.Effect<MockService, OptionError> {
    return attemptOptions(() => makeMock(script, options))
  }

  /** A layer of a Shell that follows a script, and of the mock itself, which records its calls. */
  static layer(script: MockScript): Layer.Layer<Shell | MockShell> {
    return Layer.effectContext(assumeValidOptions(makeContext(script)))
  }

  /** {@link MockShell.layer} with options. Fails with an `OptionError` for an invalid option. */
  static layerWith(script: MockScript, options: MockShellOptions): Layer.Layer<Shell | MockShell, OptionError> {
    return Layer.effectContext(makeContext(script, options))
  }

  /**
   * Makes a rule: matching commands perform the steps and then exit with 0, unless a step ends them. The first matching rule
   * of a script answers. A function instead of steps makes them from the command.
   *
   * @example
   * ```ts
   * import { Shell, ShellExec } from "@sluice/shell"
   * import { MockRun, MockShell } from "@sluice/shell/testing"
   * import { Effect } from "effect"
   *
   * const shell = MockShell.layer([
   *   MockShell.on(["echo", "-n"], MockRun.stdout("")),
   *   MockShell.on("echo", (exec) => MockRun.stdout(`${exec.arguments.join(" ")}\n`)),
   *   MockShell.on(ShellExec.shell("cat | wc -c"), MockRun.input((text) => MockRun.stdout(`${text.length}\n`))),
   * ])
   * const run = (exec: ShellExec) => Effect.runPromise(Shell.run(exec).pipe(Effect.provide(shell)))
   *
   * console.log((await run(ShellExec.make("echo", ["a", "b"]))).stdout) // a b
   * console.log((await run(ShellExec.shell("cat | wc -c", { input: "four" }))).stdout) // 4
   * ```
   */
  static on(matcher: MockMatcher, answer: MockAnswer): MockRule
  /** Makes a rule of steps. */
  static on(matcher: MockMatcher, ...steps: ReadonlyArray<MockStep>): MockRule
  static on(matcher: MockMatcher, ...answer: ReadonlyArray<MockStep> | readonly [MockAnswer]): MockRule {
    return { matcher, answer: isAnswer(answer) ? answer[0] : answer, once: false }
  }

  /** Makes a rule for exactly one command; {@link MockShell.verify} fails if that command was never run. */
  static once(matcher: MockMatcher, answer: MockAnswer): MockRule
  /** Makes a rule of steps for exactly one command. */
  static once(matcher: MockMatcher, ...steps: ReadonlyArray<MockStep>): MockRule
  static once(matcher: MockMatcher, ...answer: ReadonlyArray<MockStep> | readonly [MockAnswer]): MockRule {
    return { matcher, answer: isAnswer(answer) ? answer[0] : answer, once: true }
  }

  /** The commands that the mock has received, in order. */
  static get calls(): Effect.Effect<ReadonlyArray<MockCall>, never, MockShell> {
    return Effect.flatMap(MockShell, (mock) => mock.calls)
  }

  /** Fails if an unscripted command was run, or if a required rule was never used. */
  static get verify(): Effect.Effect<void, MockScriptError, MockShell> {
    return Effect.flatMap(
      MockShell,
      (mock) =>
        Effect.flatMap(
          mock.problems,
          (problems) =>
            problems.length === 0
              ? Effect.void
              : Effect.fail(new MockScriptError({ message: `mock: ${problems.join("; and ")} (EUNSCRIPTED)` })),
        ),
    )
  }
}

const makeContext = (
  script: MockScript,
  options?: MockShellOptions,
): Effect.Effect<Context.Context<Shell | MockShell>, OptionError> =>
  Effect.map(
    MockShell.make(script, options),
    (mock) => Context.make(MockShell, mock).pipe(Context.add(Shell, mock.shell)),
  )
