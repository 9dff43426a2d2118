/** Runs a command on a terminal, shows its output on an emulated screen, keeps it for clients, and types into it. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { completeLater } from "../base/waits.ts"
import { display } from "../command/Secret.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { linuxSignals } from "../command/signals.ts"
import { Journal } from "../journal/Journal.ts"
import { hybrid } from "../shell/Chunking.ts"
import { Shell } from "../shell/Shell.ts"
import type { StartedProcess } from "../shell/ShellService.ts"
import { attachSession } from "./attachSession.ts"
import { checkBoolean, checkCount, checkSize, checkWait } from "./checkOptions.ts"
import { makeEmulator } from "./Emulator.ts"
import { EventLog } from "./EventLog.ts"
import { encodeKey, keyNames } from "./keys.ts"
import { encodePaste } from "./paste.ts"
import { PlainText } from "../base/PlainText.ts"
import type { TerminalSession } from "./Session.ts"
import { makeSessionInput } from "./SessionInput.ts"
import type { SessionOptions } from "./SessionOptions.ts"
import { type TerminalError, terminalError } from "./TerminalError.ts"
import type { TerminalResized } from "./TerminalEvent.ts"
import { waitForCondition } from "./waitFor.ts"

/** Plain text of the output since the last input that is kept for waits. */
const maxRecentLength = 65_536

/** Longer output is shown piece by piece, so that the screen keeps up. */
const chunking = hybrid(0)

const refuse = (...problems: ReadonlyArray<TerminalError | undefined>): Effect.Effect<void, TerminalError> => {
  const problem = problems.find((each) => each !== undefined)
  return problem === undefined ? Effect.void : Effect.fail(problem)
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
    const now = (): number => clock.currentTimeMillisUnsafe()
    const exec = new ShellExec({ ...given, streamOutput: true })
    const { commandId } = exec
    const input = yield* makeSessionInput
    const answer = answersQueries ? input.offer : (): void => {}
    const emulator = yield* makeEmulator({ cols, rows }, scrollback, answer)
    yield* Scope.addFinalizer(scope, Effect.sync(() => emulator.dispose()))
    const log = new EventLog(maxKeptLength)
    const plain = new PlainText()
    // A snapshot shows exactly the chunks up to its number.
    const screenLock = Semaphore.makeUnsafe(1)
    const started = yield* Deferred.make<StartedProcess>()
    const ended = yield* Deferred.make<ShellOutput, ShellFault>()
    const openedAt = now()
    let process: StartedProcess | undefined
    let output: ShellOutput | undefined
    let recent = ""
    let seq = -1
    let lastOutput = openedAt
    let activeAt = openedAt
    let clients = 0

    const show = (chunk: ShellOutputChunk): Effect.Effect<void> => {
      const onScreen = Effect.gen(function* () {
        yield* emulator.write(chunk.content)
        seq = chunk.seq
        lastOutput = activeAt = now()
        recent = (recent + plain.push(chunk.content)).slice(-maxRecentLength)
      })
      return Effect.andThen(screenLock.withPermits(1)(onScreen), log.add(chunk))
    }

    const run = shell.exec(exec, {
      terminal: { cols, rows, ...(options.term === undefined ? undefined : { term: options.term }) },
      stdin: input.stream,
      chunking,
      ...(options.signal === undefined ? undefined : { signal: options.signal }),
      ...(admission === undefined ? undefined : { admission }),
      onSpawn: (spawned) => {
        process = spawned
        completeLater(started, Exit.succeed(spawned))
      },
    })
    const closed = ShellFault.because(
      commandId,
      { _tag: "Cancelled", by: "close" },
      `exec: ${exec.command} was ended: its session was closed (CANCELLED)`,
    )
    const pump = Stream.runForEach(run, (event) =>
      event._tag === "ShellOutputChunk" ? show(event) : Effect.sync(() => void (output = event))).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            // First, because those who await the end run at once.
            log.close()
            // A defect stays one.
            const isTold = Exit.hasFails(exit) || Exit.hasDies(exit)
            if (Exit.isFailure(exit)) {
              completeLater(ended, isTold ? Exit.failCause(exit.cause) : Exit.fail(closed))
            } else completeLater(ended, output === undefined ? Exit.fail(closed) : Exit.succeed(output))
          })
        ),
        Effect.exit,
      )
    yield* Effect.forkIn(pump, scope, { startImmediately: true })
    // A command that cannot be started ends before it starts; its fault is that of the open.
    yield* Effect.raceFirst(Deferred.await(started), Effect.asVoid(Deferred.await(ended))).pipe(
      Effect.onError(() =>
        Scope.close(scope, Exit.void)
      ),
    )

    // A busy machine may take longer to start it than it may be idle.
    activeAt = now()

    const hasEnded = (): boolean => log.closed
    const endedError = (): TerminalError =>
      terminalError(
        { _tag: "Ended", ...(output === undefined ? undefined : { exitCode: output.exitCode }) },
        `${exec.command} has ended${output === undefined ? "" : ` with code ${output.exitCode}`}`,
      )
    const whileRunning = <A>(effect: Effect.Effect<A, TerminalError>): Effect.Effect<A, TerminalError> =>
      Effect.suspend(() => hasEnded() ? Effect.fail(endedError()) : effect)
    const write: TerminalSession["write"] = (data) =>
      whileRunning(Effect.suspend(() => {
        recent = ""
        activeAt = now()
        return Effect.raceFirst(
          input.write(data),
          Effect.flatMap(Effect.exit(Deferred.await(ended)), () => Effect.fail(endedError())),
        )
      }))

    return {
      id: commandId,
      exec,
      info: Effect.sync(() => ({
        id: commandId,
        command: exec.command,
        args: exec.arguments.map(display),
        pid: process?.pid,
        ...emulator.size,
        title: emulator.title,
        openedAt,
        activeAt,
        clients,
        seq,
        ended: log.closed,
        exitCode: output?.exitCode,
      })),
      ...attachSession({
        commandId,
        log,
        journal,
        ended: Deferred.await(ended),
        seq: () => seq,
        size: () => emulator.size,
        snapshot: (then) => screenLock.withPermits(1)(Effect.sync(() => then(emulator.serialize(scrollback)))),
        count: (by) => {
          clients += by
          activeAt = now()
        },
      }),
      write,
      sendKeys: (...keys) =>
        Effect.suspend(() => {
          let text = ""
          for (const key of keys) {
            const encoded = typeof key === "string" ? encodeKey(key, emulator.applicationCursor) : key.text
            if (encoded === undefined) return Effect.fail(unknownKey(String(key)))
            text += encoded
          }
          return write(text)
        }),
      paste: (text) => Effect.suspend(() => write(encodePaste(text, emulator.bracketedPaste))),
      resize: (size) =>
        whileRunning(Effect.andThen(
          refuse(checkSize(size, scrollback)),
          screenLock.withPermits(1)(Effect.suspend(() => {
            const event: TerminalResized = {
              _tag: "TerminalResized",
              commandId,
              cols: size.cols,
              rows: size.rows,
              timestamp: now(),
            }
            emulator.resize(size)
            process?.resize?.(size)
            return log.add(event)
          })),
        )),
      signal: (name) =>
        whileRunning(Effect.suspend(() => {
          if (!Object.hasOwn(linuxSignals, name)) {
            return Effect.fail(
              terminalError(
                { _tag: "InvalidArgument", argument: "name" },
                `${name} is not a signal; write SIGINT or SIGTERM`,
              ),
            )
          }
          return Effect.sync(() => process?.kill?.(name))
        })),
      waitFor: (condition, options = {}) =>
        Effect.gen(function* () {
          const millis = yield* checkWait(condition, options)
          const watched = {
            recent: () => recent,
            screen: () => emulator.screen(seq).text,
            lastOutput: () => lastOutput,
            hasEnded,
            version: () => log.version,
            changed: (since: number) => log.changed(since),
          }
          const match = Option.getOrUndefined(
            yield* Effect.timeoutOption(
              Effect.map(waitForCondition(watched, condition), (found) => ({ found })),
              millis,
            ),
          )
          const screen = emulator.screen(seq)
          if (match === undefined) {
            return yield* Effect.fail(
              terminalError(
                { _tag: "WaitTimeout", afterMillis: millis, screen: screen.text },
                `the expected output did not appear within ${millis} ms`,
              ),
            )
          }
          return match.found === undefined ? yield* Effect.fail(endedError()) : { match: match.found, screen }
        }),
      screen: Effect.sync(() => emulator.screen(seq)),
      history: Effect.sync(() => emulator.history()),
      snapshot: screenLock.withPermits(1)(Effect.sync(() => emulator.serialize(0))),
      exit: Deferred.await(ended),
      close: Scope.close(scope, Exit.void),
    }
  })

const unknownKey = (name: string): TerminalError =>
  terminalError(
    { _tag: "InvalidArgument", argument: "keys" },
    `no key is called ${quote(name)}; write { text } to type text, or one of ${keyNames.join(", ")}, ` +
      "Ctrl- and a letter, Alt- and a character",
  )
