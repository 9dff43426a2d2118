/** Runs a command on a terminal, shows its output on an emulated screen, keeps it for clients, and types into it. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { completeLater } from "../base/waits.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { Journal } from "../journal/Journal.ts"
import { hybrid } from "../shell/Chunking.ts"
import { Shell } from "../shell/Shell.ts"
import type { StartedProcess } from "../shell/ShellService.ts"
import { attachSession } from "./attachSession.ts"
import { checkBoolean, checkCount, checkSize } from "./checkOptions.ts"
import { controlSession } from "./controlSession.ts"
import { makeEmulator } from "./Emulator.ts"
import { EventLog } from "./EventLog.ts"
import { RunningSession } from "./RunningSession.ts"
import type { TerminalSession } from "./Session.ts"
import { makeSessionInput } from "./SessionInput.ts"
import type { SessionOptions } from "./SessionOptions.ts"
import type { TerminalError } from "./TerminalError.ts"

/** Longer output is shown piece by piece, so that the screen keeps up. */
const chunking = hybrid(0)

const refuse = (...problems: ReadonlyArray<TerminalError | undefined>): Effect.Effect<void, TerminalError> => {
  const problem = problems.find((each) => each !== undefined)
  return problem === undefined ? Effect.void : Effect.fail(problem)
}

/** Shows the output of a command, and completes its end. */
const pump = (
  session: RunningSession,
  run: Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>,
): Effect.Effect<unknown> => {
  const { ended, exec, log } = session.parts
  const closed = ShellFault.because(
    exec.commandId,
    { _tag: "Cancelled", by: "close" },
    `exec: ${exec.command} was ended: its session was closed (CANCELLED)`,
  )
  return Stream.runForEach(
    run,
    (event) =>
      event._tag === "ShellOutputChunk" ? session.show(event) : Effect.sync(() => void (session.output = event)),
  ).pipe(
    Effect.onExit((exit) =>
      Effect.sync(() => {
        log.close()
        // A defect stays one.
        const isTold = Exit.hasFails(exit) || Exit.hasDies(exit)
        if (Exit.isFailure(exit)) {
          completeLater(ended, isTold ? Exit.failCause(exit.cause) : Exit.fail(closed))
        } else completeLater(ended, session.output === undefined ? Exit.fail(closed) : Exit.succeed(session.output))
      })
    ),
    Effect.exit,
  )
}

export const openSession = (
  given: ShellExec,
  options: SessionOptions = {},
): Effect.Effect<TerminalSession, ShellFault | TerminalError, Shell | Scope.Scope> =>
  Effect.gen(function* () {
    const { admission, answersQueries = true, cols = 80, maxKeptLength = 1_048_576, rows = 24, scrollback = 1_000 } =
      options
    yield* refuse(
      checkBoolean("admission", admission),
      checkBoolean("answersQueries", answersQueries),
      checkCount("scrollback", scrollback),
      checkCount("maxKeptLength", maxKeptLength),
      checkSize({ cols, rows }, scrollback),
    )
    const shell = yield* Shell
    const journal = Option.getOrUndefined(yield* Effect.serviceOption(Journal))
    const scope = yield* Scope.fork(yield* Effect.scope)
    const clock = yield* Clock.Clock
    const exec = new ShellExec({ ...given, streamOutput: true })
    const input = yield* makeSessionInput
    const emulator = yield* makeEmulator({ cols, rows }, scrollback, answersQueries ? input.offer : () => {})
    yield* Scope.addFinalizer(scope, Effect.sync(() => emulator.dispose()))
    const log = new EventLog(maxKeptLength)
    const started = yield* Deferred.make<StartedProcess>()
    const ended = yield* Deferred.make<ShellOutput, ShellFault>()
    const session = new RunningSession({ exec, clock, emulator, input, log, scrollback, ended })
    const run = shell.exec(exec, {
      terminal: { cols, rows, ...(options.term === undefined ? undefined : { term: options.term }) },
      stdin: input.stream,
      chunking,
      ...(options.signal === undefined ? undefined : { signal: options.signal }),
      ...defined({ admission }),
      onSpawn: (spawned) => {
        session.process = spawned
        completeLater(started, Exit.succeed(spawned))
      },
    })
    yield* Effect.forkIn(pump(session, run), scope, { startImmediately: true })
    // A command that cannot be started ends before its start; its fault is the result of opening the session.
    yield* Effect.raceFirst(Deferred.await(started), Effect.asVoid(Deferred.await(ended))).pipe(
      Effect.onError(() => Scope.close(scope, Exit.void)),
    )

    // On a busy machine the start may take longer than the maximum idle time.
    session.activeAt = session.now()

    return {
      id: exec.commandId,
      exec,
      info: Effect.sync(() => session.info),
      ...attachSession({
        commandId: exec.commandId,
        log,
        journal,
        ended: Deferred.await(ended),
        seq: () => session.seq,
        size: () => emulator.size,
        snapshot: (then) => session.withScreen(Effect.sync(() => then(emulator.serialize(scrollback)))),
        count: (by) => session.count(by),
      }),
      ...controlSession(session),
      screen: Effect.sync(() => emulator.screen(session.seq)),
      history: Effect.sync(() => emulator.history()),
      snapshot: session.withScreen(Effect.sync(() => emulator.serialize(0))),
      exit: Deferred.await(ended),
      close: Scope.close(scope, Exit.void),
    }
  })
