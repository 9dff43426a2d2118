/**
 * Declares the types of the steps of a scripted command: an action on its process, or a fault that ends it.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { MockProcess } from "./MockProcess.ts"

/**
 * A step that a scripted process performs.
 *
 * @example
 * ```ts
 * import { MockRun } from "@sluice/shell/testing"
 *
 * const steps: ReadonlyArray<MockRun.MockStep> = [MockRun.stdout("ready\n"), MockRun.hang]
 * const actions = steps.filter((step): step is MockRun.MockAction => step._tag === "MockAction")
 * console.log(actions.length) // 2
 * ```
 *
 * @stability stable
 */
export interface MockAction {
  readonly _tag: "MockAction"
  readonly play: (process: MockProcess) => Effect.Effect<void>
}

/**
 * A step that ends the command with a fault.
 *
 * @example
 * ```ts
 * import { MockRun } from "@sluice/shell/testing"
 *
 * const failure: MockRun.MockStep = MockRun.fail({ _tag: "NotFound", what: "command", path: "git" })
 * console.log(failure._tag === "MockFailure" && failure.reason._tag) // NotFound
 * ```
 *
 * @stability stable
 */
export interface MockFailure {
  readonly _tag: "MockFailure"
  readonly reason: FaultReason
  readonly message: string | undefined
}

/**
 * One step of a run.
 *
 * @example
 * ```ts
 * import { MockRun } from "@sluice/shell/testing"
 *
 * const steps: ReadonlyArray<MockRun.MockStep> = [MockRun.stderr("no\n"), MockRun.exit(1)]
 * console.log(steps.every(({ _tag }) => _tag === "MockAction")) // true
 * ```
 *
 * @stability stable
 */
export type MockStep = MockAction | MockFailure

/**
 * The steps of a command, in order. After the last step it exits with 0, unless a step has ended it.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const run: MockRun.MockRun = [MockRun.stdout("half\n"), MockRun.wait("10 millis"), MockRun.exit(3)]
 * const output = Shell.run(ShellExec.make("build")).pipe(Effect.provide(MockShell.layer([MockShell.on("build", run)])))
 * console.log((await Effect.runPromise(output)).exitCode) // 3
 * ```
 *
 * @stability stable
 */
export type MockRun = MockStep | ReadonlyArray<MockStep>
