/** Joins recorded pieces of output into lines of bounded length, and formats each. */
import { makeDecoder } from "../../history/makeDecoder.ts"
import type { OutputPiece } from "../../history/commandOutput.ts"
import type { OutputStream } from "../../command/ShellEvent.ts"

/** Text for the program's stdout or stderr. */
export interface LogText {
  readonly stream: OutputStream
  readonly text: string
}

/** Formats a line; the parts of a cut one have the same number, from 1. */
export type ShowLine = (line: string, time: number, stream: OutputStream, number: number) => string | undefined

interface Lane {
  readonly stream: OutputStream
  readonly decoder: TextDecoder
  rest: string
  time: number
  number: number
}

/** Assembles lines from the pieces of two streams; `show` maps a line to its text, or to `undefined` to drop it. */
export class LineAssembler {
  readonly #lanes: Readonly<Record<OutputStream, Lane>>
  readonly #show: ShowLine
  readonly #maxLine: number

  /** An unfinished line longer than `maxLine` is cut in two. */
  constructor(encoding: string | undefined, show: ShowLine, maxLine = 65_536) {
    const lane = (stream: OutputStream): Lane => ({
      stream,
      decoder: makeDecoder(encoding),
      rest: "",
      time: 0,
      number: 1,
    })
    this.#lanes = { stdout: lane("stdout"), stderr: lane("stderr") }
    this.#show = show
    this.#maxLine = maxLine
  }

  take({ bytes, stream, text, timestamp }: OutputPiece): LogText {
    const lane = this.#lanes[stream]
    // A line has the time of its first piece.
    if (lane.rest === "") lane.time = timestamp
    const lines = (text ?? lane.decoder.decode(bytes, { stream: true })).split("\n")
    // Split without the unfinished line: a long line in small pieces would be copied for each piece.
    lines.unshift(lane.rest + (lines.shift() ?? ""))
    lane.rest = lines.pop() ?? ""
    let out = ""
    for (const line of lines) {
      out += this.#shown(line, lane, "\n")
      lane.time = timestamp
      lane.number++
    }
    while (lane.rest.length > this.#maxLine) {
      out += this.#shown(lane.rest.slice(0, this.#maxLine), lane, "\n")
      lane.rest = lane.rest.slice(this.#maxLine)
    }
    return { stream, text: out }
  }

  /** Returns the unfinished lines at the end, each followed by `terminator`. */
  end(terminator = ""): ReadonlyArray<LogText> {
    return (["stdout", "stderr"] as const).map((stream) => {
      const lane = this.#lanes[stream]
      const line = lane.rest + lane.decoder.decode()
      return { stream, text: line === "" ? "" : this.#shown(line, lane, terminator) }
    })
  }

  #shown(line: string, { number, stream, time }: Lane, end: string): string {
    const shown = this.#show(line, time, stream, number)
    return shown === undefined ? "" : shown + end
  }
}
