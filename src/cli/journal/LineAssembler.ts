/**
 * Decodes recorded pieces of output, joins them into lines of bounded length, and formats each with a function of its
 * text and the time at which it began.
 *
 * @module
 */
import { makeDecoder } from "../../history/makeDecoder.ts"
import type { OutputPiece } from "../../history/commandOutput.ts"
import type { OutputStream } from "../../command/ShellEvent.ts"

/** Text for the program's stdout or stderr. */
export interface LogText {
  readonly stream: OutputStream
  readonly text: string
}

/** Maximum length of a line; longer lines are cut in two. */
const maxLine = 65_536

interface Lane {
  readonly decoder: TextDecoder
  rest: string
  time: number
}

/** Assembles lines from the pieces of two streams; `show` maps a line to its text, or to `undefined` to drop it. */
export class LineAssembler {
  readonly #lanes: Readonly<Record<OutputStream, Lane>>
  readonly #show: (line: string, time: number) => string | undefined

  constructor(encoding: string | undefined, show: (line: string, time: number) => string | undefined) {
    const lane = (): Lane => ({ decoder: makeDecoder(encoding), rest: "", time: 0 })
    this.#lanes = { stdout: lane(), stderr: lane() }
    this.#show = show
  }

  /** Returns the lines that a piece completes. */
  take({ bytes, stream, text, timestamp }: OutputPiece): LogText {
    const lane = this.#lanes[stream]
    // A line has the time of its first piece.
    if (lane.rest === "") lane.time = timestamp
    const lines = (lane.rest + (text ?? lane.decoder.decode(bytes, { stream: true }))).split("\n")
    lane.rest = lines.pop() ?? ""
    let out = ""
    for (const line of lines) {
      out += this.#shown(line, lane.time, "\n")
      lane.time = timestamp
    }
    while (lane.rest.length > maxLine) {
      out += this.#shown(lane.rest.slice(0, maxLine), lane.time, "\n")
      lane.rest = lane.rest.slice(maxLine)
    }
    return { stream, text: out }
  }

  /** Returns the unfinished lines at the end, each followed by `terminator`. */
  end(terminator = ""): ReadonlyArray<LogText> {
    return (["stdout", "stderr"] as const).map((stream) => {
      const { decoder, rest, time } = this.#lanes[stream]
      const line = rest + decoder.decode()
      return { stream, text: line === "" ? "" : this.#shown(line, time, terminator) }
    })
  }

  #shown(line: string, time: number, end: string): string {
    const shown = this.#show(line, time)
    return shown === undefined ? "" : shown + end
  }
}
