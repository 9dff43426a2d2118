/**
 * What a scripted command does, step by step.
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
 * console.assert(exitCode === 2 && stderr === "no disk\n")
 * ```
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { type DurationInput, durationOf } from "../../base/duration.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import { exitBySignal } from "./ScriptedProcess.ts"
import type { MockProcess } from "./MockProcess.ts"

export type { MockProcess } from "./MockProcess.ts"

/** Something that a scripted process does. */
export interface MockAction {
  readonly _tag: "MockAction"
  readonly play: (process: MockProcess) => Effect.Effect<void>
}

/** The command cannot be run, or not to its end. */
export interface MockFailure {
  readonly _tag: "MockFailure"
  readonly reason: FaultReason
  readonly message: string | undefined
}

/** One step of a run. */
export type MockStep = MockAction | MockFailure

/** What a command does, in order; then it exits with 0, unless a step has ended it. No steps: it does nothing. */
export type MockRun = MockStep | ReadonlyArray<MockStep>

/** Anything else that an Effect can do. It is interrupted when the process ends. */
export const effect = (play: (process: MockProcess) => Effect.Effect<void>): MockStep => ({ _tag: "MockAction", play })

/** Writes to stdout: text as UTF-8, or bytes. Waits while 64 KiB lie in the pipe that nobody has read. */
export const stdout = (content: string | Uint8Array): MockStep => effect((process) => process.write("stdout", content))

/** Writes to stderr, as {@link stdout}. */
export const stderr = (content: string | Uint8Array): MockStep => effect((process) => process.write("stderr", content))

/** Does nothing for a time of the program's clock (`TestClock` in a test that moves it). */
export const wait = (duration: DurationInput): MockStep => effect(() => Effect.sleep(durationOf("duration", duration)))

/** Does nothing until it is ended. */
export const hang: MockStep = effect(() => Effect.never)

/** Exits. Default code: 0. */
export const exit = (code = 0): MockStep => effect((process) => process.exit({ exitCode: code }))

/** Ends as by a signal, such as `"SIGSEGV"`: the exit code is 128 + n. */
export const exitBy = (signal: string): MockStep => effect((process) => process.exit(exitBySignal(signal)))

/**
 * The command gets a fault of this reason. As the first step: no process is started (spawn failures). Later: the process
 * is lost, and the fault carries what it had written.
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
 * console.assert((await faultOf("gone")).reason._tag === "NotFound")
 * console.assert((await faultOf("half")).stdout === "so far\n")
 * ```
 */
export const fail = (reason: FaultReason, message?: string): MockStep => ({ _tag: "MockFailure", reason, message })

/** Reads stdin to its end, and takes no notice of it. */
export const readInput: MockStep = effect((process) => allOf(process, () => Effect.void))

/** Copies stdin to stdout as it comes, as `cat` does. */
export const copyInput: MockStep = effect((process) => allOf(process, (bytes) => process.write("stdout", bytes)))

/** Reads stdin to its end as UTF-8, and does what the function makes of it. */
export const input = (then: (text: string) => MockRun): MockStep =>
  effect((process) =>
    Effect.suspend(() => {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
      let text = ""
      const read = allOf(process, (bytes) => Effect.sync(() => void (text += decoder.decode(bytes, { stream: true }))))
      return Effect.flatMap(read, () => playOf(then(text + decoder.decode()))(process))
    })
  )

/** Closes an output stream before the end. */
export const close = (stream: "stdout" | "stderr"): MockStep => effect((process) => process.close(stream))

/** Does the steps again and again, until it is ended or nobody reads what it writes. */
export const forever = (...steps: ReadonlyArray<MockStep>): MockStep =>
  effect((process) => Effect.forever(playOf(steps)(process)))

/**
 * What it does from now on when it is asked to end (SIGTERM), instead of what it does then. After the steps it ends by
 * the signal, unless one of them exits otherwise; at the end of the grace it is killed. Without this step SIGTERM ends
 * it at once.
 */
export const onTerminate = (...steps: ReadonlyArray<MockStep>): MockStep =>
  effect((process) => process.trap(playOf(steps)(process)))

/** From now on SIGTERM does nothing to it: only the end of the grace ends it (SIGKILL). */
export const ignoreTerminate: MockStep = effect((process) => process.trap("ignore"))

/** Leaves a process behind that does the steps and holds both output pipes until it has done them. */
export const background = (...steps: ReadonlyArray<MockStep>): MockStep =>
  effect((process) => process.background(playOf(steps)))

const allOf = (process: MockProcess, take: (bytes: Uint8Array) => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(
    process.read,
    (bytes) => bytes === undefined ? Effect.void : Effect.andThen(take(bytes), allOf(process, take)),
  )

const isSteps = (run: MockRun): run is ReadonlyArray<MockStep> => Array.isArray(run)

/** The steps of a run. */
export const stepsOf = (run: MockRun): ReadonlyArray<MockStep> => isSteps(run) ? run : [run]

/** What a failure says of a command. */
export const failureMessage = ({ message, reason }: MockFailure, command: string): string => {
  if (message !== undefined) return message
  const code = "code" in reason ? reason.code : undefined
  return `exec: ${command} fails with ${reason._tag}, as its script says (${code ?? reason._tag.toUpperCase()})`
}

/** All of it, one step after the other. */
export const playOf = (run: MockRun) => (process: MockProcess): Effect.Effect<void> =>
  Effect.forEach(
    stepsOf(run),
    (step) =>
      step._tag === "MockAction"
        ? step.play(process)
        : process.fail(step.reason, failureMessage(step, process.exec.command)),
    { discard: true },
  )
