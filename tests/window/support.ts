import type { OutputStream, ShellOutput, ShellOutputChunk, ShellOutputWindow } from "@sluice/shell"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Window } from "@sluice/shell"

export type Event = ShellOutputChunk | ShellOutput
export type Out = ShellOutputWindow | ShellOutput

/** A chunk whose timestamp tells its seq, so that one shows the other. */
export const chunk = (
  seq: number,
  content: string,
  stream: OutputStream = "stdout",
  commandId = "c",
): ShellOutputChunk => ({ _tag: "ShellOutputChunk", commandId, stream, content, timestamp: 1000 + seq, seq })

export const end = (commandId = "c"): ShellOutput => ({
  _tag: "ShellOutput",
  commandId,
  exitCode: 0,
  stdout: "",
  stderr: "",
  duration: 1,
  completed: 2000,
  drain: "eof",
  executable: "/bin/c",
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
})

/** Stdout in these pieces, one chunk each. */
export const chunks = (...contents: ReadonlyArray<string>): ReadonlyArray<ShellOutputChunk> =>
  contents.map((content, seq) => chunk(seq, content))

export const isWindow = (event: { readonly _tag: string }): event is ShellOutputWindow => event._tag === "Window"

/** The contents of the windows; other events as their tag in angle brackets. */
export const contents = (events: ReadonlyArray<{ readonly _tag: string }>): ReadonlyArray<string> =>
  events.map((event) => isWindow(event) ? event.content : `<${event._tag}>`)

/** What a policy makes of stdout in these pieces, through the Stream operator. */
export const cut = (policy: Window.Policy, ...pieces: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Stream.fromIterable(chunks(...pieces)).pipe(Window.apply(policy), Stream.runCollect, Effect.map(contents))
