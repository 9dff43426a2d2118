/** Implements `sluice sandbox`: the script gets the first signal, and is killed at the second. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { assumeValidOptions } from "../../base/attemptOptions.ts"
import { Sandbox } from "../../sandbox/mod.ts"
import { exitStatusOfFault, ownFailureStatus } from "../exitStatus.ts"
import { inputStream } from "../commandInput.ts"
import { type BrokenOutputError, type OutputWriter, ProcessOutput } from "../ProcessOutput.ts"
import type { CliProcess } from "../CliProcess.ts"
import { writeMessage } from "../writeMessage.ts"
import { runUntilStopped, stopOnSignals, type StopRequest } from "../stopOnSignals.ts"
import type { CommandHandler } from "../CommandSpec.ts"
import { decodeFlags } from "../FlagSpec.ts"
import { makeSandboxOptions } from "./makeSandboxOptions.ts"
import type { UsageError } from "../UsageError.ts"
import { type SandboxFlags, sandboxFlags } from "./sandboxSpec.ts"

/** The program's stdin. Within `flatMap`, so that it is opened only when the script reads. */
const stdinOf = (cli: CliProcess): Stream.Stream<Uint8Array, Error> =>
  Stream.flatMap(
    Stream.succeed("-"),
    (source) => Stream.unwrap(Effect.mapError(inputStream(cli, source), ({ message }) => new Error(message))),
  )

interface RunningHandles {
  kill: Sandbox.RunningScript["kill"] | undefined
  close: Effect.Effect<void>
}

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
  flags: SandboxFlags,
  [script = "", ...args]: ReadonlyArray<string>,
  cli: CliProcess,
  output: OutputWriter,
  running: RunningHandles,
  stop: StopRequest,
): Effect.Effect<number, UsageError | BrokenOutputError, Scope.Scope> =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.make(yield* makeSandboxOptions(flags, cli))
    running.close = sandbox.close
    const { outputBytes } = flags.limit ?? {}
    const events = sandbox.bytes(script, {
      args,
      input: stdinOf(cli),
      timeout: flags.timeout,
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
    // `makeSandboxOptions` has checked the options of the command line.
    assumeValidOptions,
    Effect.catchTag("SandboxError", (error) => failed(error, output, stop)),
  )

export const sandbox: CommandHandler = (words, cli) =>
  Effect.flatMap(Effect.fromResult(decodeFlags(sandboxFlags, words.flags)), (flags) => {
    const output = new ProcessOutput(cli)
    const running: RunningHandles = { kill: undefined, close: Effect.void }
    const stop = stopOnSignals(cli, output, Effect.suspend(() => running.close))
    stop.signal.addEventListener("abort", () => void running.kill?.(stop.by()))
    return runUntilStopped(perform(flags, words.operands, cli, output, running, stop), stop)
  })
