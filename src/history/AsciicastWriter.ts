/**
 * Encodes the output of a command as the lines of an asciicast recording (version 2 or 3).
 *
 * Sources: https://docs.asciinema.org/manual/asciicast/v2/ and https://docs.asciinema.org/manual/asciicast/v3/
 */
import type { EpochMillis, OutputStream } from "../command/ShellEvent.ts"
import { makeDecoder } from "./makeDecoder.ts"
import type { Terminal } from "../command/Terminal.ts"
import type { TerminalInput, TerminalResized } from "../compute/TerminalEntry.ts"
import type { OutputPiece } from "./commandOutput.ts"

/**
 * Options of a recording.
 *
 * @stability stable
 */
export interface AsciicastOptions {
  /** Version of the format. Default: 2, which every player supports; 3 also records the exit status. */
  readonly version?: 2 | 3 | undefined
  /** Size of the displayed terminal: a command in pipes has none. Default: 80 by 24. */
  readonly cols?: number | undefined
  /** Rows of the displayed terminal. Default: 24. */
  readonly rows?: number | undefined
  /** The terminal of the command, if it had one: its size, and output that has its carriage returns. */
  readonly terminal?: Terminal | undefined
  /** Start of the recording, milliseconds since 1970. */
  readonly start: EpochMillis
  /** The command, for the title. */
  readonly line: string
  /** Encoding of output that was recorded as bytes: any label of `TextDecoder`. Default: `"utf-8"`. */
  readonly encoding?: string | undefined
}

class ExactText {
  readonly #decoder: TextDecoder

  constructor(encoding: string | undefined) {
    this.#decoder = makeDecoder(encoding)
  }

  text({ bytes, text }: Pick<OutputPiece, "bytes" | "text">): string {
    return text ?? this.#decoder.decode(bytes, { stream: true })
  }

  end(): string {
    return this.#decoder.decode()
  }
}

class TerminalText {
  readonly #decoder: TextDecoder
  #afterReturn = false

  constructor(encoding: string | undefined) {
    this.#decoder = makeDecoder(encoding)
  }

  text({ bytes, text }: Pick<OutputPiece, "bytes" | "text">): string {
    return this.#show(text ?? this.#decoder.decode(bytes, { stream: true }))
  }

  end(): string {
    return this.#show(this.#decoder.decode())
  }

  // A terminal converts "\n" to "\r\n" (ONLCR of termios(3)); a player does not.
  #show(text: string): string {
    if (text === "") return ""
    const first = this.#afterReturn && text.startsWith("\n") ? "\n" : ""
    this.#afterReturn = text.endsWith("\r")
    return first + text.slice(first.length).replace(/(?<!\r)\n/g, "\r\n")
  }
}

const seconds = (millis: number): number => Math.round(millis) / 1_000

/** Writes a recording line by line: the header, then the events in order. */
export class AsciicastWriter {
  readonly #options: AsciicastOptions
  readonly #lanes: Readonly<Record<OutputStream, TerminalText | ExactText>>
  #time = 0

  /** Makes a writer; it has no output before `header`. */
  constructor(options: AsciicastOptions) {
    this.#options = options
    const { encoding, terminal } = options
    const lane = () => terminal === undefined ? new TerminalText(encoding) : new ExactText(encoding)
    this.#lanes = { stdout: lane(), stderr: lane() }
  }

  header(): string {
    const { line, start, terminal, version = 2 } = this.#options
    const { cols = terminal?.cols ?? 80, rows = terminal?.rows ?? 24 } = this.#options
    const type = terminal?.term
    const timestamp = Math.floor(start / 1_000)
    return version === 2
      ? `${JSON.stringify({ version, width: cols, height: rows, timestamp, command: line, title: line })}\n`
      : `${JSON.stringify({ version, term: { cols, rows, type }, timestamp, command: line, title: line })}\n`
  }

  /** The line of a piece of output; empty while a character is incomplete. */
  output(piece: OutputPiece): string {
    return this.#event(piece.timestamp, "o", this.#lanes[piece.stream].text(piece))
  }

  /** The line of typed input; empty if its text is not recorded. */
  input({ content = "", timestamp }: TerminalInput): string {
    return this.#event(timestamp, "i", content)
  }

  /** The line of a new size. */
  resized({ cols, rows, timestamp }: TerminalResized): string {
    return this.#event(timestamp, "r", `${cols}x${rows}`)
  }

  /** The last lines: incomplete characters, and in version 3 the exit status. */
  end(at: EpochMillis, status: number | undefined): string {
    const rest = this.#event(at, "o", this.#lanes.stdout.end()) + this.#event(at, "o", this.#lanes.stderr.end())
    return this.#options.version === 3 && status !== undefined ? rest + this.#event(at, "x", `${status}`) : rest
  }

  #event(at: EpochMillis, code: "o" | "i" | "r" | "x", data: string): string {
    if (data === "") return ""
    // Wall clocks step back; a recording does not.
    const time = Math.max(this.#time, at - this.#options.start)
    const when = this.#options.version === 3 ? time - this.#time : time
    this.#time = time
    return `${JSON.stringify([seconds(when), code, data])}\n`
  }
}
