/** Records the input and the sizes of a command's terminal before the command gets them. */
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ShellFault } from "../command/ShellFault.ts"
import type { StreamingRedaction } from "../journal/redaction/Redactor.ts"
import type { TerminalSize } from "../command/Terminal.ts"
import type { LeafRunOptions, StartedProcess } from "../shell/ShellService.ts"
import type { TerminalInput, TerminalResized } from "./TerminalEntry.ts"

export interface TerminalRecorderOptions {
  readonly commandId: string
  /** Appends an entry, after those that were appended before; does nothing once the run has ended. */
  readonly append: (entry: TerminalInput | TerminalResized) => Effect.Effect<void, ShellFault>
  readonly clock: Clock.Clock
  readonly context: Context.Context<never>
  readonly recordInput: boolean
  readonly redaction: StreamingRedaction | undefined
}

export interface RecordedTerminal {
  readonly runOptions: LeafRunOptions
  /** The entry of the text that the redactor still holds back when the run ends. */
  readonly end: () => TerminalInput | undefined
}

export const recordTerminal = (runOptions: LeafRunOptions, options: TerminalRecorderOptions): RecordedTerminal => {
  const { append, clock, commandId, context, recordInput, redaction } = options
  const decoder = new TextDecoder()
  const entry = (bytes: number): TerminalInput => ({
    _tag: "TerminalInput",
    commandId,
    bytes,
    timestamp: clock.currentTimeMillisUnsafe(),
  })
  /** Enter is a carriage return, where redactors look for a newline. */
  const redact = (text: string, streaming: StreamingRedaction): string =>
    (streaming.push(text.replace(/\r\n?/g, "\r\n")) + (streaming.flush?.() ?? "")).replaceAll("\r\n", "\r")
  const inputOf = (bytes: Uint8Array): TerminalInput => {
    if (!recordInput) return entry(bytes.length)
    const text = decoder.decode(bytes, { stream: true })
    return { ...entry(bytes.length), content: redaction === undefined ? text : redact(text, redaction) }
  }
  const end = (): TerminalInput | undefined => {
    const content = recordInput ? decoder.decode() + (redaction?.end() ?? "") : ""
    return content === "" ? undefined : { ...entry(0), content }
  }
  let current: TerminalSize | undefined = runOptions.terminal
  const withSizes = (process: StartedProcess): StartedProcess => {
    const { resize } = process
    if (resize === undefined) return process
    return {
      ...process,
      resize: (size) => {
        const isSame = size.cols === current?.cols && size.rows === current.rows
        current = size
        if (isSame) return resize(size)
        const timestamp = clock.currentTimeMillisUnsafe()
        const entry: TerminalResized = {
          _tag: "TerminalResized",
          commandId,
          cols: size.cols,
          rows: size.rows,
          timestamp,
        }
        // A journal that fails ends the run at its next output; until then the new size applies.
        const recorded = Effect.ensuring(Effect.ignore(append(entry)), Effect.sync(() => resize(size)))
        Effect.runForkWith(context)(recorded)
      },
    }
  }
  const { onSpawn, stdin } = runOptions
  const recorded: LeafRunOptions = {
    ...runOptions,
    ...(stdin === undefined
      ? undefined
      : { stdin: Stream.mapEffect(stdin, (bytes) => Effect.as(append(inputOf(bytes)), bytes)) }),
    ...(onSpawn === undefined ? undefined : { onSpawn: (process) => onSpawn(withSizes(process)) }),
  }
  return { runOptions: recorded, end }
}
