/** Wraps a shell so that the output of its commands is sent as progress to the caller of the current spell. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import type { ShellOutput, ShellOutputChunk, ShellOutputWindow } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { HeadTailBuffer } from "../shell/HeadTailBuffer.ts"
import { defaultMaxOutputBytes } from "../shell/OutputSink.ts"
import type { ShellBytes, ShellService } from "../shell/ShellService.ts"
import { windowsOf } from "../window/apply.ts"
import { CurrentWindow } from "../window/CurrentWindow.ts"
import type { Policy } from "../window/Policy.ts"

/** Sends a progress message, and resumes when the caller has accepted it. */
export type Progress = (message: string) => Effect.Effect<void>

/** Maximum bytes of one progress message. */
export const maxWindowBytes = 16_384

/** Sends progress to the caller of the spell that a fiber casts; `undefined` if it asked for none. */
export const CurrentProgress: Context.Reference<Progress | undefined> = Context.Reference<Progress | undefined>(
  "sluice/spell/CurrentProgress",
  { defaultValue: () => undefined },
)

type Element = ShellOutputChunk | ShellBytes

const isOutput = (event: Element | ShellOutput): event is ShellOutput => event._tag === "ShellOutput"

/** The events of a command; output is emitted once the window with its text has been sent. */
const sendWindows = <A extends Element>(
  events: Stream.Stream<A | ShellOutput, ShellFault>,
  toChunk: (element: A) => ShellOutputChunk,
  progress: Progress,
  window: Policy,
): Stream.Stream<A | ShellOutput, ShellFault> => {
  let held: Array<A> = []
  const takeHeld = (): ReadonlyArray<A> => {
    const taken = held
    held = []
    return taken
  }
  const hold = (event: A | ShellOutput): ShellOutputChunk | ShellOutput => {
    if (isOutput(event)) return event
    held.push(event)
    return toChunk(event)
  }
  const send = (event: ShellOutput | ShellOutputWindow): Effect.Effect<ReadonlyArray<A | ShellOutput>> =>
    event._tag === "Window" ? Effect.map(progress(event.content), takeHeld) : Effect.sync(() => [...takeHeld(), event])
  return windowsOf(Stream.map(events, hold), window, { join: true, maxBytes: maxWindowBytes }).pipe(
    Stream.mapEffect(send),
    Stream.flattenIterable,
    // An incomplete character is in no window yet.
    Stream.catchCause((cause) =>
      Stream.concat(Stream.fromIterableEffect(Effect.sync(takeHeld)), Stream.failCause(cause))
    ),
  )
}

/** Only the last event of a streamed command, with the whole output, the same as without streaming. */
const gatherOutput = (
  events: Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>,
  limit: number,
): Stream.Stream<ShellOutput, ShellFault> =>
  Stream.suspend(() => {
    const kept = { stdout: new HeadTailBuffer(limit), stderr: new HeadTailBuffer(limit) }
    const gather = (event: ShellOutputChunk | ShellOutput): ReadonlyArray<ShellOutput> => {
      if (!isOutput(event)) {
        kept[event.stream].push(encodeUtf8(event.content))
        return []
      }
      const stdout = kept.stdout.take("utf-8")
      const stderr = kept.stderr.take("utf-8")
      return [{
        ...event,
        stdout: stdout.text,
        stderr: stderr.text,
        stdoutBytesOmitted: stdout.bytesOmitted,
        stderrBytesOmitted: stderr.bytesOmitted,
      }]
    }
    return Stream.flattenIterable(Stream.map(events, gather))
  })

/** Decodes the bytes of a command into chunks of text. No window needs their times here. */
const makeDecoder = ({ commandId }: ShellExec): (element: ShellBytes) => ShellOutputChunk => {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  let seq = 0
  return ({ bytes, stream }) => {
    const content = decoders[stream].decode(bytes, { stream: true })
    return { _tag: "ShellOutputChunk", commandId, stream, content, timestamp: 0, seq: seq++ }
  }
}

/** A leaf's bytes are valid until the next element; these are held until their window was sent. */
const copyBytes = (event: ShellBytes | ShellOutput): ShellBytes | ShellOutput =>
  event._tag === "ShellBytes" ? { ...event, bytes: event.bytes.slice() } : event

/**
 * Wraps the shell so that its commands send their output to {@link CurrentProgress}, in windows of the call, or else of
 * `window`; without either they send nothing.
 */
export const progressShell = (shell: ShellService, window: Policy | undefined): ShellService => {
  const destination = Effect.gen(function* () {
    const progress = yield* CurrentProgress
    const policy = (yield* CurrentWindow) ?? window
    return progress === undefined || policy === undefined ? undefined : { progress, policy }
  })
  return {
    ...shell,
    exec: (exec, options) =>
      Stream.unwrap(Effect.map(destination, (to) => {
        if (to === undefined) return shell.exec(exec, options)
        const streamed = exec.streamOutput ? exec : new ShellExec({ ...exec, streamOutput: true })
        const events = sendWindows(shell.exec(streamed, options), identity, to.progress, to.policy)
        return exec.streamOutput ? events : gatherOutput(events, exec.maxOutputBytes ?? defaultMaxOutputBytes)
      })),
    bytes: (exec, options) =>
      Stream.unwrap(Effect.map(destination, (to) => {
        const events = shell.bytes(exec, options)
        return to === undefined
          ? events
          : sendWindows(Stream.map(events, copyBytes), makeDecoder(exec), to.progress, to.policy)
      })),
  }
}
