/**
 * Implements `sluice sandbox`: runs a script in a sandbox, prints its output, and exits with its status.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Sandbox } from "../../sandbox/mod.ts"
import { handleBrokenOutput } from "../handleBrokenOutput.ts"
import { exitStatusOfFault, ownFailureStatus } from "../exitStatus.ts"
import { inputStream } from "../commandInput.ts"
import { type BrokenOutputError, type OutputWriter, ProcessOutput } from "../ProcessOutput.ts"
import type { CliProcess } from "../CliProcess.ts"
import { writeMessage } from "../writeMessage.ts"
import { stopOnSignals, type StopRequest } from "../stopOnSignals.ts"
import type { UsageError } from "../UsageError.ts"
import { makeSandboxOptions } from "./makeSandboxOptions.ts"
import type { SandboxRequest } from "./SandboxRequest.ts"

/** The program's stdin. Within `flatMap`, so that it is opened only when the script reads. */
const stdinOf = (own: CliProcess): Stream.Stream<Uint8Array, Error> =>
  Stream.flatMap(
    Stream.succeed("-"),
    (source) => Stream.unwrap(Effect.mapError(inputStream(own, source), ({ message }) => new Error(message))),
  )

/** The handles that end a running script. */
interface Running {
  kill: Sandbox.RunningScript["kill"] | undefined
  close: Effect.Effect<void>
}

/** The message and the exit status of an error. */
const failed = (
  error: Sandbox.SandboxError,
  output: OutputWriter,
  stop: StopRequest,
): Effect.Effect<number, BrokenOutputError> => {
  const { message, reason } = error
  // Closed by the second signal.
  if (reason._tag === "Closed") return Effect.succeed(exitStatusOfFault({ _tag: "Cancelled" }, stop.by()))
  const status = reason._tag === "Timeout" ? exitStatusOfFault({ ...reason, kind: "total" }) : ownFailureStatus
  return Effect.as(writeMessage(output, message.replace(/^sandbox: /, "")), status)
}

const perform = (
  request: SandboxRequest,
  own: CliProcess,
  output: OutputWriter,
  running: Running,
  stop: StopRequest,
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.make(yield* makeSandboxOptions(request, own))
    running.close = sandbox.close
    const outputBytes = request.limits.output
    const events = sandbox.bytes(request.script, {
      args: request.args,
      input: stdinOf(own),
      timeout: request.timeout,
      maxOutputBytes: outputBytes,
      onStart: ({ kill }) => {
        running.kill = kill
        if (stop.by() !== undefined) kill(stop.by())
      },
    })
    let status = 0
    const write = (event: Sandbox.ScriptBytes | Sandbox.ScriptExit): Effect.Effect<void, BrokenOutputError> => {
      if (event._tag === "ScriptBytes") return output.write(event.stream === "stdout" ? 1 : 2, event.bytes)
      status = event.exitCode
      return event.truncated
        ? writeMessage(output, `the script wrote more than ${outputBytes} bytes and was ended`)
        : Effect.void
    }
    yield* Stream.runForEachArray(events, (batch) => Effect.forEach(batch, write, { discard: true }))
    return status
  }).pipe(
    // A defect, not a usage error: `makeSandboxOptions` has checked the options of the command line.
    Effect.catchTag("OptionError", Effect.die),
    Effect.catchTag("SandboxError", (error) => failed(error, output, stop)),
    Effect.catchTag("UsageError", ({ message }) => Effect.as(writeMessage(output, message), ownFailureStatus)),
    Effect.catchTag("BrokenOutputError", (broken) => handleBrokenOutput(broken, output)),
  )

/** Runs a script to its end and returns the exit status; no process is left running. */
export const sandbox = (request: SandboxRequest, own: CliProcess): Effect.Effect<number, UsageError> => {
  const output = new ProcessOutput(own)
  const running: Running = { kill: undefined, close: Effect.void }
  const stop = stopOnSignals(own, output, Effect.suspend(() => running.close))
  stop.signal.addEventListener("abort", () => void running.kill?.(stop.by()))
  const left = Effect.map(stop.now, () => exitStatusOfFault({ _tag: "Cancelled" }, stop.by()))
  return Effect.flatMap(
    Effect.forkDetach(Effect.scoped(perform(request, own, output, running, stop))),
    (fiber) =>
      Effect.tap(
        Effect.raceFirst(Fiber.join(fiber), left),
        () => Effect.timeoutOption(Fiber.interrupt(fiber), "1 second"),
      ),
  )
}
