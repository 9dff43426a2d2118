/** Plays one recording as the run of a command. */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { onAbort } from "../../base/abort.ts"
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault, withFaultFields } from "../../command/ShellFault.ts"
import type { RunEnd } from "../../compute/RunEnd.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import {
  cancelledFault,
  describeCancel,
  describeInputFailure,
  type FaultDescription,
} from "../../shell/describeFaults.ts"
import type { LeafRunOptions, ShellBytes } from "../../shell/ShellService.ts"
import { ReplayClock, type ReplaySpeed } from "./ReplayClock.ts"
import type { Playback, RecordedPiece } from "./Playback.ts"
import type { Recording } from "./Recording.ts"

export interface PlayOptions {
  readonly exec: ShellExec
  readonly options: LeafRunOptions
  readonly speed: ReplaySpeed
}

const replayFault = (exec: ShellExec) => (error: JournalError): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "JournalFailed", what: error.reason._tag, ...("code" in error.reason ? codeIn(error.reason) : undefined) },
    `exec: ${exec.command} cannot be replayed: ${error.message.replace(/^journal: /, "")}`,
    { exception: error.exception },
  )

const codeIn = ({ code }: { readonly code?: string }) => code === undefined ? undefined : { code }

const hasNotStarted = (last: RunEnd): boolean =>
  last._tag === "ShellFault" && last.executable === undefined && last.stdoutBytes + last.stderrBytes === 0

const startedAt = (recording: Recording, last: RunEnd): number =>
  last._tag === "ShellOutput" ? Math.round(last.completed - last.duration) : recording.requestedAt

/** Reads stdin and discards it, as the command did; a source that fails ends the command. */
const drainStdin = (
  exec: ShellExec,
  stdin: LeafRunOptions["stdin"],
  clock: ReplayClock,
): Effect.Effect<void, never, Scope.Scope> => {
  if (stdin === undefined) return Effect.void
  const onFailure = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    Effect.sync(() => {
      const failure = describeInputFailure(exec, cause)
      if (failure !== undefined) clock.fail(...failure)
    })
  return Effect.asVoid(
    Effect.forkScoped(Effect.catchCause(Stream.runDrain(stdin), onFailure), { startImmediately: true }),
  )
}

const failOnAbort = (
  exec: ShellExec,
  signal: AbortSignal | undefined,
  clock: ReplayClock,
): Effect.Effect<void, never, Scope.Scope> => {
  const remove = onAbort(signal, () => clock.fail(...describeCancel(exec)))
  return Effect.addFinalizer(() => Effect.sync(remove))
}

const retimed = <Element extends ShellOutputChunk | ShellBytes>(
  element: Element,
  exec: ShellExec,
  clock: ReplayClock,
): Element =>
  element._tag === "ShellBytes"
    ? element
    : { ...element, commandId: exec.commandId, timestamp: clock.toReplayTime(element.timestamp) }

export const playRecording = <Element extends ShellOutputChunk | ShellBytes>(
  recording: Recording,
  { exec, options, speed }: PlayOptions,
  playback: Playback<Element>,
): Stream.Stream<Element | ShellOutput, ShellFault> =>
  Stream.unwrap(Effect.gen(function* () {
    const { onSpawn, signal, stdin, stdout } = options
    if (signal?.aborted === true) return yield* Effect.fail(cancelledFault(exec))
    const { at, event: last } = yield* Effect.mapError(recording.end, replayFault(exec))
    const origin = startedAt(recording, last)
    const hasTimedOut = last._tag === "ShellFault" && last.reason._tag === "Timeout"
    const clock = new ReplayClock({
      exec,
      speed,
      origin,
      started: yield* Clock.currentTimeMillis,
      hasTimeouts: !hasTimedOut,
    })
    yield* failOnAbort(exec, signal, clock)
    yield* drainStdin(exec, stdin, clock)
    if (stdout !== undefined) yield* Effect.addFinalizer(() => Effect.sync(() => void stdout.end()))
    if (!hasNotStarted(last)) onSpawn?.({ pid: undefined, executable: last.executable ?? exec.command })

    const written = { stdout: 0, stderr: 0 }
    const toFault = ([reason, message]: FaultDescription): ShellFault | ShellOutput =>
      playback.end(ShellFault.because(exec.commandId, reason, message, {
        stdoutBytes: written.stdout,
        stderrBytes: written.stderr,
        executable: last.executable,
      }))
    const fail = (fault: ShellFault | ShellOutput): Effect.Effect<never, ShellFault> =>
      fault._tag === "ShellFault"
        ? Effect.fail(withFaultFields(fault, { commandId: exec.commandId }))
        : Effect.die(new Error("a recorded fault was played as an output"))

    let takesMore = true
    const inTime = (piece: RecordedPiece<Element>): Effect.Effect<ReadonlyArray<Element>, FaultDescription> =>
      Effect.gen(function* () {
        yield* clock.waitUntil(piece.at)
        const bytes = piece.bytes()
        written[piece.stream] += bytes.length
        if (stdout !== undefined && piece.stream === "stdout") {
          if (takesMore && bytes.length > 0) takesMore = yield* Effect.promise(() => stdout.write(bytes))
          return []
        }
        return piece.element === undefined ? [] : [retimed(piece.element, exec, clock)]
      })

    const entries = Stream.mapError(recording.output, replayFault(exec))
    const isImmediate = clock.neverWaits && signal === undefined && stdin === undefined && stdout === undefined
    const output: Stream.Stream<Element, ShellFault> = isImmediate
      ? Stream.flattenIterable(
        Stream.map(
          entries,
          (entry) =>
            playback.pieces(entry).flatMap(({ element }) =>
              element === undefined ? [] : [retimed(element, exec, clock)]
            ),
        ),
      )
      : entries.pipe(
        Stream.flatMap((entry) => Stream.fromIterable(playback.pieces(entry))),
        Stream.mapEffect((piece) => Effect.catch(inTime(piece), (cause) => fail(toFault(cause)))),
        Stream.flattenIterable,
      )
    const end: Effect.Effect<ShellOutput, ShellFault> = Effect.gen(function* () {
      yield* Effect.catch(
        clock.waitUntil(last._tag === "ShellOutput" ? last.completed : at),
        (cause) => fail(toFault(cause)),
      )
      const event = playback.end(last)
      if (event._tag === "ShellFault") return yield* fail(event)
      const { completed, duration, ...rest } = event
      return {
        ...rest,
        commandId: exec.commandId,
        duration: clock.toReplayMillis(duration),
        completed: clock.toReplayTime(completed),
      }
    })
    return Stream.concat(output, Stream.fromEffect(end))
  }))
