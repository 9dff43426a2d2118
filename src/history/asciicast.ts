/**
 * Writes the output of a command as an asciicast recording for asciinema and its players.
 *
 * Sources: https://docs.asciinema.org/manual/asciicast/v2/ and https://docs.asciinema.org/manual/asciicast/v3/
 *
 * @module
 */
import type { EpochMillis, OutputStream } from "../command/ShellEvent.ts"
import { makeDecoder } from "./makeDecoder.ts"
import type { OutputPiece } from "./commandOutput.ts"

/** How a recording is to be made. */
export interface AsciicastOptions {
  /** Version of the format. Default: 2, which every player knows; 3 also tells the exit. */
  readonly version?: 2 | 3 | undefined
  /** Size of the terminal that is shown: a command in pipes had none. Default: 80 by 24. */
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  /** When the recording begins, milliseconds since 1970. */
  readonly start: EpochMillis
  /** The command, for the title. */
  readonly line: string
  /** Encoding of output that was recorded as bytes: any label of `TextDecoder`. Default: `"utf-8"`. */
  readonly encoding?: string | undefined
}

/** Decodes one stream, and returns the carriage that its program expects the terminal to return. */
class TerminalText {
  readonly #decoder: TextDecoder
  #afterReturn = false

  constructor(encoding: string | undefined) {
    this.#decoder = makeDecoder(encoding)
  }

  text({ bytes, text }: Pick<OutputPiece, "bytes" | "text">): string {
    return this.#show(text ?? this.#decoder.decode(bytes, { stream: true }))
  }

  /** What is left of a character that was cut off. */
  end(): string {
    return this.#show(this.#decoder.decode())
  }

  // A terminal turns "\n" into "\r\n" on its way to the screen (ONLCR of termios(3)); a player is only the screen.
  #show(text: string): string {
    if (text === "") return ""
    const first = this.#afterReturn && text.startsWith("\n") ? "\n" : ""
    this.#afterReturn = text.endsWith("\r")
    return first + text.slice(first.length).replace(/(?<!\r)\n/g, "\r\n")
  }
}

const seconds = (millis: number): number => Math.round(millis) / 1_000

/** Writes a recording, line by line: the header, then the events as they are given. */
export class AsciicastWriter {
  readonly #options: AsciicastOptions
  readonly #lanes: Readonly<Record<OutputStream, TerminalText>>
  #time = 0

  constructor(options: AsciicastOptions) {
    this.#options = options
    this.#lanes = { stdout: new TerminalText(options.encoding), stderr: new TerminalText(options.encoding) }
  }

  /** The first line. */
  header(): string {
    const { columns = 80, line, rows = 24, start, version = 2 } = this.#options
    const timestamp = Math.floor(start / 1_000)
    return version === 2
      ? `${JSON.stringify({ version, width: columns, height: rows, timestamp, command: line, title: line })}\n`
      : `${JSON.stringify({ version, term: { cols: columns, rows }, timestamp, command: line, title: line })}\n`
  }

  /** The lines of a piece of output: one, or none while a character is incomplete. */
  output(piece: OutputPiece): string {
    return this.#event(piece.timestamp, "o", this.#lanes[piece.stream].text(piece))
  }

  /** The last lines: incomplete characters, and in version 3 the status that the command ended with. */
  end(at: EpochMillis, status: number | undefined): string {
    const rest = this.#event(at, "o", this.#lanes.stdout.end()) + this.#event(at, "o", this.#lanes.stderr.end())
    return this.#options.version === 3 && status !== undefined ? rest + this.#event(at, "x", `${status}`) : rest
  }

  #event(at: EpochMillis, code: "o" | "x", data: string): string {
    if (data === "") return ""
    // Wall clocks step back; a recording does not.
    const time = Math.max(this.#time, at - this.#options.start)
    const when = this.#options.version === 3 ? time - this.#time : time
    this.#time = time
    return `${JSON.stringify([seconds(when), code, data])}\n`
  }
}
