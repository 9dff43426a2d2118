/** Runs a command to its end for a tool, collects its output, and reports windows of it as progress. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutputChunk, ShellOutputWindow } from "../command/ShellEvent.ts"
import { apply } from "../window/apply.ts"
import type { TaggedEvent } from "../window/WindowSplitter.ts"
import { CollectedOutput } from "./CollectedOutput.ts"
import { maxWindowBytes, type Progress } from "../spell/progressShell.ts"
import type { ToolSettings } from "./McpToolOptions.ts"
import type { CommandEnding, EndedCommand } from "./toolResult.ts"

export interface RunCommandOptions<A, E> {
  readonly commandId: CommandId
  readonly settings: ToolSettings
  /** Sends the output in windows as it comes; a client that does not read them holds the command back. */
  readonly progress: Progress | undefined
  readonly ended: (event: A) => CommandEnding
  readonly failed: (error: E) => CommandEnding
}

const isChunk = (event: TaggedEvent): event is ShellOutputChunk => event._tag === "ShellOutputChunk"
const isWindow = (event: TaggedEvent): event is ShellOutputWindow => event._tag === "Window"
const isLast = <A extends TaggedEvent>(event: ShellOutputChunk | A): event is A => !isChunk(event)

/** Runs a command to its end and returns its output, also if it failed. Interruption ends the whole process tree. */
export const runCommand = <A extends TaggedEvent, E>(
  events: Stream.Stream<ShellOutputChunk | A, E>,
  { commandId, ended, failed, progress, settings }: RunCommandOptions<A, E>,
): Effect.Effect<EndedCommand> =>
  Effect.suspend(() => {
    const output = new CollectedOutput(settings.maxOutputBytes)
    let ending: CommandEnding = { exit_code: null }
    const collect = (event: ShellOutputChunk | A): ShellOutputChunk | A => {
      if (isLast(event)) ending = ended(event)
      else output.push(event.stream, encodeUtf8(event.content))
      return event
    }
    const run = progress === undefined ? Stream.runDrain(Stream.map(events, collect)) : Stream.runForEach(
      apply(Stream.map(events, collect), settings.window, { join: true, maxBytes: maxWindowBytes }),
      (event) => isWindow(event) ? progress(event.content) : Effect.void,
    )
    return Effect.match(run, {
      onSuccess: () => ({ commandId, ending, output }),
      onFailure: (error) => ({ commandId, ending: failed(error), output }),
    })
  })
