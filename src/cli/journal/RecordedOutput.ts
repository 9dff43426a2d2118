/**
 * Writes the output of a recording. On a terminal it is sanitized (`TerminalPrinter`): raw sequences could make the terminal
 * type an answer at the next prompt, or change its settings. Modes left behind, such as the alternate screen of a killed
 * editor, are undone.
 */
import * as Effect from "effect/Effect"
import { type TerminalContent, TerminalPrinter } from "../../terminal/TerminalPrinter.ts"
import type { OutputFd } from "../CliProcess.ts"
import type { BrokenOutputError } from "../ProcessOutput.ts"
import { TerminalModes } from "../terminal/TerminalModes.ts"
import type { CliOutput } from "./CliOutput.ts"
import type { OutputPiece } from "../../history/commandOutput.ts"
import { fdOf } from "../printRun.ts"
import type { LogText } from "./LineAssembler.ts"

class TerminalLane {
  readonly #decoder = new TextDecoder()
  readonly #printer: TerminalPrinter
  readonly #modes = new TerminalModes()

  constructor(content: TerminalContent) {
    this.#printer = new TerminalPrinter(content)
  }

  take(what: string | Uint8Array): string {
    const text = typeof what === "string" ? what : this.#decoder.decode(what, { stream: true })
    const shown = this.#printer.push(text)
    this.#modes.push(shown)
    return shown
  }

  /** An incomplete sequence is dropped: it would swallow what follows. */
  end(): string {
    return this.#modes.reset()
  }
}

/** A line for a terminal. Its styles end with it, and no carriage return hides the text before it. */
const printLine = (line: string): string => {
  const modes = new TerminalModes()
  const shown = new TerminalPrinter("text").push(line.replace(/\r+$/, "")).replaceAll("\r", "\\r")
  modes.push(shown)
  return shown + modes.reset()
}

/** The program's own stdout and stderr, for recorded output. */
export class RecordedOutput {
  readonly #output: CliOutput
  readonly #lanes = new Map<OutputFd, TerminalLane>()

  constructor(output: CliOutput, content: TerminalContent) {
    this.#output = output
    for (const fd of [1, 2] as const) if (output.cli.isTerminal(fd)) this.#lanes.set(fd, new TerminalLane(content))
  }

  /** Writes a piece; unchanged where the output is no terminal. */
  write(fd: OutputFd, what: string | Uint8Array): Effect.Effect<void, BrokenOutputError> {
    return Effect.suspend(() => this.#output.write(fd, this.#lanes.get(fd)?.take(what) ?? what))
  }

  /** Writes lines that may have a label of ours. */
  writeLines(fd: OutputFd, lines: string): Effect.Effect<void, BrokenOutputError> {
    return this.#output.write(fd, this.#lanes.has(fd) ? lines.split("\n").map(printLine).join("\n") : lines)
  }

  readonly end: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach(this.#lanes, ([fd, lane]) => {
      const undo = lane.end()
      return undo === "" ? Effect.void : Effect.ignore(this.#output.write(fd, undo))
    }, { discard: true })
  )
}

/** Writes recorded output, as `content` on a terminal, and undoes the modes afterwards. */
export const withRecordedOutput = <A, E, R>(
  output: CliOutput,
  content: TerminalContent,
  use: (recorded: RecordedOutput) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const recorded = new RecordedOutput(output, content)
    return Effect.ensuring(use(recorded), recorded.end)
  })

export const writeTexts = (
  output: RecordedOutput,
  texts: ReadonlyArray<LogText>,
): Effect.Effect<void, BrokenOutputError> =>
  Effect.forEach(texts, (each) => each.text === "" ? Effect.void : output.writeLines(fdOf(each.stream), each.text), {
    discard: true,
  })

export const writePieces = (
  output: RecordedOutput,
  pieces: ReadonlyArray<OutputPiece>,
): Effect.Effect<void, BrokenOutputError> =>
  Effect.forEach(pieces, (piece) => output.write(fdOf(piece.stream), piece.bytes), { discard: true })
