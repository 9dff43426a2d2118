/**
 * Writes the output of a recording. On a terminal it leaves out what that would answer, as if it were typed at the prompt that
 * follows, and undoes the modes that the recording leaves behind, such as the alternate screen of an editor that was killed.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { OutputFd } from "../CliProcess.ts"
import type { BrokenOutputError } from "../ProcessOutput.ts"
import { QueryFilter } from "../terminal/QueryFilter.ts"
import { TerminalModes } from "../terminal/TerminalModes.ts"
import type { CliOutput } from "./CliOutput.ts"

class TerminalLane {
  readonly #decoder = new TextDecoder()
  readonly #filter = new QueryFilter()
  readonly #modes = new TerminalModes()

  take(what: string | Uint8Array): string {
    const text = typeof what === "string" ? what : this.#decoder.decode(what, { stream: true })
    const shown = this.#filter.push(text)
    this.#modes.push(shown)
    return shown
  }

  /** An incomplete sequence is dropped: it would swallow what follows. */
  end(): string {
    return this.#modes.reset()
  }
}

/** The program's own stdout and stderr, for recorded output. */
export class RecordedOutput {
  readonly #output: CliOutput
  readonly #lanes = new Map<OutputFd, TerminalLane>()

  constructor(output: CliOutput) {
    this.#output = output
    for (const fd of [1, 2] as const) if (output.cli.isTerminal(fd)) this.#lanes.set(fd, new TerminalLane())
  }

  /** Writes a piece; unchanged where the output is no terminal. */
  write(fd: OutputFd, what: string | Uint8Array): Effect.Effect<void, BrokenOutputError> {
    return Effect.suspend(() => this.#output.write(fd, this.#lanes.get(fd)?.take(what) ?? what))
  }

  /** Undoes the modes. */
  readonly end: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach(this.#lanes, ([fd, lane]) => {
      const undo = lane.end()
      return undo === "" ? Effect.void : Effect.ignore(this.#output.write(fd, undo))
    }, { discard: true })
  )
}

/** Writes recorded output, and undoes the modes afterwards. */
export const withRecordedOutput = <A, E, R>(
  output: CliOutput,
  use: (recorded: RecordedOutput) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const recorded = new RecordedOutput(output)
    return Effect.ensuring(use(recorded), recorded.end)
  })
