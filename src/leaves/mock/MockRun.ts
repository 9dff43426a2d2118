/**
 * Builds the steps of a scripted command: output, waits, input, exits, faults, reactions to SIGTERM, repetition and
 * background processes.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([
 *   MockShell.on("build", MockRun.stdout("one\n"), MockRun.wait("10 millis"), MockRun.stderr("no disk\n"), MockRun.exit(2)),
 * ])
 * const { exitCode, stderr } = await Effect.runPromise(
 *   Shell.run(ShellExec.make("build")).pipe(Effect.provide(shell)),
 * )
 * console.log(exitCode, stderr) // 2 no disk
 * ```
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { type DurationInput, durationOf } from "../../base/duration.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import { exitBySignal } from "./ScriptedProcess.ts"
import type { MockProcess } from "./MockProcess.ts"
import type { MockRun, MockStep } from "./MockStep.ts"
import { playSteps } from "./playSteps.ts"

export type { MockProcess } from "./MockProcess.ts"
export type { MockAction, MockFailure, MockRun, MockStep } from "./MockStep.ts"

/**
 * Performs any Effect, which is interrupted when the process ends.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.effect((process) => process.write("stdout", "hi\n")))])
 * const { stdout } = await Effect.runPromise(Shell.run(cmd`build`).pipe(Effect.provide(shell)))
 * console.log(stdout) // hi
 * ```
 */
export const effect = (play: (process: MockProcess) => Effect.Effect<void>): MockStep => ({ _tag: "MockAction", play })

/**
 * Writes text (as UTF-8) or bytes to stdout. Waits while the pipe holds 64 KiB of unread bytes.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.stdout("hi\n"))])
 * const { stdout } = await Effect.runPromise(Shell.run(cmd`build`).pipe(Effect.provide(shell)))
 * console.log(stdout) // hi
 * ```
 */
export const stdout = (content: string | Uint8Array): MockStep => effect((process) => process.write("stdout", content))

/**
 * Writes to stderr, like {@link stdout}.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.stderr("no disk\n"))])
 * const { stderr } = await Effect.runPromise(Shell.run(cmd`build`).pipe(Effect.provide(shell)))
 * console.log(stderr) // no disk
 * ```
 */
export const stderr = (content: string | Uint8Array): MockStep => effect((process) => process.write("stderr", content))

/**
 * Waits for a time of the program's clock (`TestClock` in tests).
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.wait("10 millis"), MockRun.stdout("late\n"))])
 * const { stdout } = await Effect.runPromise(Shell.run(cmd`build`).pipe(Effect.provide(shell)))
 * console.log(stdout) // late
 * ```
 */
export const wait = (duration: DurationInput): MockStep => effect(() => Effect.sleep(durationOf("duration", duration)))

/**
 * Waits until the process is ended.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.hang)])
 * const exec = ShellExec.make("build", [], { timeout: "20 millis" })
 * const { reason } = await Effect.runPromise(Shell.run(exec).pipe(Effect.flip, Effect.provide(shell)))
 * console.log(reason._tag) // Timeout
 * ```
 */
export const hang: MockStep = effect(() => Effect.never)

/**
 * Exits with a code. Default: 0.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.exit(2))])
 * const { exitCode } = await Effect.runPromise(Shell.run(cmd`build`).pipe(Effect.provide(shell)))
 * console.log(exitCode) // 2
 * ```
 */
export const exit = (code = 0): MockStep => effect((process) => process.exit({ exitCode: code }))

/**
 * Ends by a signal, such as `"SIGSEGV"`: the exit code is 128 + n.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.exitBy("SIGSEGV"))])
 * const { exitCode, signal } = await Effect.runPromise(Shell.run(cmd`build`).pipe(Effect.provide(shell)))
 * console.log(exitCode, signal) // 139 SIGSEGV
 * ```
 */
export const exitBy = (signal: string): MockStep => effect((process) => process.exit(exitBySignal(signal)))

/**
 * Ends the command with a fault of this reason. As the first step, no process is started (a spawn failure). Later, the
 * process is lost, and the fault has its output so far.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([
 *   MockShell.on("gone", MockRun.fail({ _tag: "NotFound", what: "command", path: "gone", code: "ENOENT" })),
 *   MockShell.on("half", MockRun.stdout("so far\n"), MockRun.fail({ _tag: "Unknown", code: "ECONNRESET" })),
 * ])
 * const faultOf = (command: string) =>
 *   Effect.runPromise(Shell.run(ShellExec.make(command)).pipe(Effect.flip, Effect.provide(shell)))
 *
 * console.log((await faultOf("gone")).reason._tag) // NotFound
 * console.log((await faultOf("half")).stdout) // so far
 * ```
 */
export const fail = (reason: FaultReason, message?: string): MockStep => ({ _tag: "MockFailure", reason, message })

/**
 * Reads stdin to its end and discards it.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.readInput, MockRun.exit(3))])
 * const { exitCode } = await Effect.runPromise(Shell.run(ShellExec.make("build", [], { input: "four" })).pipe(Effect.provide(shell)))
 * console.log(exitCode) // 3
 * ```
 */
export const readInput: MockStep = effect((process) => readAll(process, () => Effect.void))

/**
 * Copies stdin to stdout as it comes, as `cat` does.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.copyInput)])
 * const { stdout } = await Effect.runPromise(Shell.run(ShellExec.make("build", [], { input: "four" })).pipe(Effect.provide(shell)))
 * console.log(stdout) // four
 * ```
 */
export const copyInput: MockStep = effect((process) => readAll(process, (bytes) => process.write("stdout", bytes)))

/**
 * Reads stdin to its end as UTF-8, and performs the steps that the function returns for it.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.input((text) => MockRun.stdout(text.toUpperCase())))])
 * const { stdout } = await Effect.runPromise(Shell.run(ShellExec.make("build", [], { input: "four" })).pipe(Effect.provide(shell)))
 * console.log(stdout) // FOUR
 * ```
 */
export const input = (then: (text: string) => MockRun): MockStep =>
  effect((process) =>
    Effect.suspend(() => {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
      let text = ""
      const read = readAll(
        process,
        (bytes) => Effect.sync(() => void (text += decoder.decode(bytes, { stream: true }))),
      )
      return Effect.flatMap(read, () => playSteps(then(text + decoder.decode()))(process))
    })
  )

/**
 * Closes an output stream before the process ends.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.close("stderr"), MockRun.stdout("hi\n"))])
 * const { stdout } = await Effect.runPromise(Shell.run(cmd`build`).pipe(Effect.provide(shell)))
 * console.log(stdout) // hi
 * ```
 */
export const close = (stream: "stdout" | "stderr"): MockStep => effect((process) => process.close(stream))

/**
 * Repeats the steps until the process is ended or its output is closed.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect, Stream } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("yes", MockRun.forever(MockRun.stdout("y\n")))])
 * const three = Shell.exec(cmd`yes`).pipe(Stream.take(3), Stream.runCollect, Effect.provide(shell))
 * console.log((await Effect.runPromise(three)).length) // 3
 * ```
 */
export const forever = (...steps: ReadonlyArray<MockStep>): MockStep =>
  effect((process) => Effect.forever(playSteps(steps)(process)))

/**
 * Sets the steps to perform on SIGTERM instead of the running ones. After them the process ends by the signal, unless a step
 * exits; after the grace period it is killed. Without this step SIGTERM ends the process at once.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.onTerminate(MockRun.stdout("bye\n")), MockRun.hang)])
 * const exec = ShellExec.make("build", [], { timeout: "20 millis" })
 * const { stdout } = await Effect.runPromise(Shell.run(exec).pipe(Effect.flip, Effect.provide(shell)))
 * console.log(stdout) // bye
 * ```
 */
export const onTerminate = (...steps: ReadonlyArray<MockStep>): MockStep =>
  effect((process) => process.trap(playSteps(steps)(process)))

/**
 * Ignores SIGTERM from now on: the process ends by SIGKILL after the grace period.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.ignoreTerminate, MockRun.hang)])
 * const exec = ShellExec.make("build", [], { timeout: "20 millis", grace: "20 millis" })
 * const { reason } = await Effect.runPromise(Shell.run(exec).pipe(Effect.flip, Effect.provide(shell)))
 * console.log(reason._tag) // Timeout
 * ```
 */
export const ignoreTerminate: MockStep = effect((process) => process.trap("ignore"))

/**
 * Starts a background process that performs the steps and holds both output pipes until then.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("build", MockRun.stdout("started\n"), MockRun.background(MockRun.wait("10 millis")))])
 * const { stdout } = await Effect.runPromise(Shell.run(cmd`build`).pipe(Effect.provide(shell)))
 * console.log(stdout) // started
 * ```
 */
export const background = (...steps: ReadonlyArray<MockStep>): MockStep =>
  effect((process) => process.background(playSteps(steps)))

const readAll = (process: MockProcess, take: (bytes: Uint8Array) => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(
    process.read,
    (bytes) => bytes === undefined ? Effect.void : Effect.andThen(take(bytes), readAll(process, take)),
  )
