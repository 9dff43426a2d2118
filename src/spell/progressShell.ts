/**
 * Wraps a shell so that the output of its commands is sent as progress to the caller of the current spell.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import type { ShellOutput, ShellOutputChunk, ShellOutputWindow } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { HeadTailBuffer } from "../shell/HeadTailBuffer.ts"
import { defaultMaxOutputBytes } from "../shell/OutputSink.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { apply } from "../window/apply.ts"
import { CurrentWindow } from "../window/CurrentWindow.ts"
import type { Policy } from "../window/Policy.ts"

/** Sends a progress message, and resumes when the caller has accepted it. */
export type Progress = (message: string) => Effect.Effect<void>

/** Maximum of bytes in one progress message. */
export const maxWindowBytes = 16_384

/** Sends progress to the caller of the spell that a fiber casts; `undefined` if it asked for none. */
export const CurrentProgress: Context.Reference<Progress | undefined> = Context.Reference<Progress | undefined>(
  "sluice/spell/CurrentProgress",
  { defaultValue: () => undefined },
)

type Events = Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>

/** The events of a command, where chunks come when the window with their text was sent. */
const sendWindows = (
  run: (exec: ShellExec) => Events,
  exec: ShellExec,
  progress: Progress,
  window: Policy,
): Events => {
  // A command that streams nothing keeps its output for its last event, as its leaf does.
  const limit = exec.maxOutputBytes ?? defaultMaxOutputBytes
  const kept = exec.streamOutput ? undefined : { stdout: new HeadTailBuffer(limit), stderr: new HeadTailBuffer(limit) }
  let chunks: Array<ShellOutputChunk> = []
  const collect = (event: ShellOutputChunk | ShellOutput): ShellOutputChunk | ShellOutput => {
    if (event._tag === "ShellOutput") return event
    if (kept === undefined) chunks.push(event)
    else kept[event.stream].push(encodeUtf8(event.content))
    return event
  }
  const takeChunks = (): ReadonlyArray<ShellOutputChunk> => {
    const taken = chunks
    chunks = []
    return taken
  }
  const whole = (output: ShellOutput): ShellOutput => {
    if (kept === undefined) return output
    const stdout = kept.stdout.take("utf-8")
    const stderr = kept.stderr.take("utf-8")
    return {
      ...output,
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutBytesOmitted: stdout.bytesOmitted,
      stderrBytesOmitted: stderr.bytesOmitted,
    }
  }
  const streamed = exec.streamOutput ? exec : new ShellExec({ ...exec, streamOutput: true })
  const send = (event: ShellOutput | ShellOutputWindow): Effect.Effect<ReadonlyArray<ShellOutputChunk | ShellOutput>> =>
    event._tag === "Window"
      ? Effect.map(progress(event.content), takeChunks)
      : Effect.sync(() => [...takeChunks(), whole(event)])
  return apply(Stream.map(run(streamed), collect), window, { join: true, maxBytes: maxWindowBytes }).pipe(
    Stream.mapEffect(send),
    Stream.flattenIterable,
  )
}

/**
 * The shell, whose commands send their output to {@link CurrentProgress}: in windows of the call, else of `window`; without
 * either they send none.
 */
export const progressShell = (shell: ShellService, window: Policy | undefined): ShellService => ({
  ...shell,
  exec: (exec, options) =>
    Stream.unwrap(Effect.gen(function* () {
      const progress = yield* CurrentProgress
      const policy = (yield* CurrentWindow) ?? window
      const run = (one: ShellExec): Events => shell.exec(one, options)
      return progress === undefined || policy === undefined ? run(exec) : sendWindows(run, exec, progress, policy)
    })),
  bytes: (exec, options) =>
    Stream.unwrap(Effect.map(CurrentProgress, (progress) => {
      const events = shell.bytes(exec, options)
      if (progress === undefined || window === undefined) return events
      const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
      return Stream.tap(events, (event) => {
        if (event._tag !== "ShellBytes") return Effect.void
        const text = decoders[event.stream].decode(event.bytes, { stream: true })
        return text === "" ? Effect.void : progress(text.slice(0, maxWindowBytes))
      })
    })),
})
