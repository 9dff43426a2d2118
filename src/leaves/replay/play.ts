/**
 * Plays one recording for whoever asked for a command like it.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { cancelledFault, cancelMessage } from "../../shell/admit.ts"
import type { LeafRunOptions, ShellBytes } from "../../shell/ShellService.ts"
import { type Broken, Pacer, type ReplaySpeed } from "./Pacer.ts"
import { faultWith, type Piece, type Playback } from "./Playback.ts"
import type { Recording } from "./Recording.ts"

/** What a replay is for: who asked, for what, and how fast. */
export interface PlayOptions {
  readonly exec: ShellExec
  readonly options: LeafRunOptions
  readonly speed: ReplaySpeed
}

const unreadable = (exec: ShellExec) => (error: JournalError): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "JournalFailed", what: error.reason._tag, ...("code" in error.reason ? codeIn(error.reason) : undefined) },
    `exec: ${exec.command} cannot be replayed: ${error.message.replace(/^journal: /, "")}`,
    { exception: error.exception },
  )

const codeIn = ({ code }: { readonly code?: string }) => code === undefined ? undefined : { code }

/** A fault that came before there was a process. */
const neverStarted = (last: ShellOutput | ShellFault): boolean =>
  last._tag === "ShellFault" && last.executable === undefined && last.stdoutBytes + last.stderrBytes === 0

const startedAt = (recording: Recording, last: ShellOutput | ShellFault): number =>
  last._tag === "ShellOutput" ? Math.round(last.completed - last.duration) : recording.requestedAt

/** Reads what comes on stdin, as the command did; a source that fails ends the command. */
const drainStdin = (
  exec: ShellExec,
  stdin: LeafRunOptions["stdin"],
  pacer: Pacer,
): Effect.Effect<void, never, Scope.Scope> => {
  if (stdin === undefined) return Effect.void
  const failed = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    Effect.sync(() => {
      if (Cause.hasInterruptsOnly(cause)) return
      const [what] = Cause.pretty(cause).split("\n")
      pacer.break({
        reason: { _tag: "Unknown", code: "ESTDIN" },
        message: `exec: the input of ${exec.command} failed: ${what} (ESTDIN)`,
      })
    })
  return Effect.asVoid(
    Effect.forkScoped(Effect.catchCause(Stream.runDrain(stdin), failed), { startImmediately: true }),
  )
}

const heedSignal = (
  exec: ShellExec,
  signal: AbortSignal | undefined,
  pacer: Pacer,
): Effect.Effect<void, never, Scope.Scope> => {
  if (signal === undefined) return Effect.void
  const abort = (): void => pacer.break({ reason: { _tag: "Cancelled", by: "signal" }, message: cancelMessage(exec) })
  signal.addEventListener("abort", abort)
  return Effect.addFinalizer(() => Effect.sync(() => signal.removeEventListener("abort", abort)))
}

const retimed = <Element extends ShellOutputChunk | ShellBytes>(
  element: Element,
  exec: ShellExec,
  pacer: Pacer,
): Element =>
  element._tag === "ShellBytes"
    ? element
    : { ...element, commandId: exec.commandId, timestamp: pacer.timeOf(element.timestamp) }

/** Plays a recording: its output at its times, then how it ended. */
export const play = <Element extends ShellOutputChunk | ShellBytes>(
  recording: Recording,
  { exec, options, speed }: PlayOptions,
  playback: Playback<Element>,
): Stream.Stream<Element | ShellOutput, ShellFault> =>
  Stream.unwrap(Effect.gen(function* () {
    const { onSpawn, signal, stdin, stdout } = options
    if (signal?.aborted === true) return yield* Effect.fail(cancelledFault(exec))
    const { at, event: last } = yield* Effect.mapError(recording.end, unreadable(exec))
    const origin = startedAt(recording, last)
    const ranOut = last._tag === "ShellFault" && last.reason._tag === "Timeout"
    const pacer = new Pacer({ exec, speed, origin, started: yield* Clock.currentTimeMillis, limited: !ranOut })
    yield* heedSignal(exec, signal, pacer)
    yield* drainStdin(exec, stdin, pacer)
    if (stdout !== undefined) yield* Effect.addFinalizer(() => Effect.sync(() => void stdout.end()))
    if (!neverStarted(last)) onSpawn?.({ pid: undefined, executable: last.executable ?? exec.command })

    const written = { stdout: 0, stderr: 0 }
    const broken = ({ message, reason }: Broken): ShellFault | ShellOutput =>
      playback.end(ShellFault.because(exec.commandId, reason, message, {
        stdoutBytes: written.stdout,
        stderrBytes: written.stderr,
        executable: last.executable,
      }))
    const fail = (fault: ShellFault | ShellOutput): Effect.Effect<never, ShellFault> =>
      fault._tag === "ShellFault"
        ? Effect.fail(faultWith(fault, { commandId: exec.commandId }))
        : Effect.die(new Error("a fault stays a fault"))

    let wanted = true
    const inTime = (piece: Piece<Element>): Effect.Effect<ReadonlyArray<Element>, Broken> =>
      Effect.gen(function* () {
        yield* pacer.until(piece.at)
        const bytes = piece.bytes()
        written[piece.stream] += bytes.length
        if (stdout !== undefined && piece.stream === "stdout") {
          if (wanted && bytes.length > 0) wanted = yield* Effect.promise(() => stdout.write(bytes))
          return []
        }
        return piece.element === undefined ? [] : [retimed(piece.element, exec, pacer)]
      })

    const entries = Stream.mapError(recording.output, unreadable(exec))
    const isFree = pacer.isFree && signal === undefined && stdin === undefined && stdout === undefined
    const output: Stream.Stream<Element, ShellFault> = isFree
      ? Stream.flattenIterable(
        Stream.map(
          entries,
          (entry) =>
            playback.pieces(entry).flatMap(({ element }) =>
              element === undefined ? [] : [retimed(element, exec, pacer)]
            ),
        ),
      )
      : entries.pipe(
        Stream.flatMap((entry) => Stream.fromIterable(playback.pieces(entry))),
        Stream.mapEffect((piece) => Effect.catch(inTime(piece), (cause) => fail(broken(cause)))),
        Stream.flattenIterable,
      )
    const end: Effect.Effect<ShellOutput, ShellFault> = Effect.gen(function* () {
      yield* Effect.catch(
        pacer.until(last._tag === "ShellOutput" ? last.completed : at),
        (cause) => fail(broken(cause)),
      )
      const event = playback.end(last)
      if (event._tag === "ShellFault") return yield* fail(event)
      const { completed, duration, ...rest } = event
      return {
        ...rest,
        commandId: exec.commandId,
        duration: pacer.spanOf(duration),
        completed: pacer.timeOf(completed),
      }
    })
    return Stream.concat(output, Stream.fromEffect(end))
  }))
