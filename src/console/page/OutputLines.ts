/** Keeps the output of a command as numbered lines of styled text, in bounded memory. Cursor movements have no effect. */
import { TerminalParser } from "../../terminal/TerminalParser.ts"
import { TextStyle } from "./textStyle.ts"

/** Maximum number of lines; the oldest are dropped. */
const maxLines = 100_000

const maxCharacters = 16 * 1_048_576

/** Maximum characters and styles of a line; the rest is counted. */
const maxLineLength = 8_192
const maxSpans = 500

const dropped = 1_000

export interface Span {
  readonly text: string
  readonly classes: string
}

export interface OutputLine {
  /** When its first character arrived: milliseconds since 1970. */
  readonly time: number
  readonly spans: ReadonlyArray<Span>
  readonly omitted: number
}

interface OpenLine {
  readonly time: number
  spans: Array<Span>
  length: number
  omitted: number
}

export const lineText = ({ omitted, spans }: OutputLine): string =>
  spans.map(({ text }) => text).join("") + (omitted === 0 ? "" : ` … ${omitted} more characters`)

export class OutputLines {
  readonly #lines: Array<OpenLine> = []
  readonly #parsers: Readonly<Record<"stdout" | "stderr", TerminalParser>> = {
    stdout: this.#parser(new TextStyle()),
    stderr: this.#parser(new TextStyle(1)),
  }
  #first = 1
  #characters = 0
  #time = 0
  /** Whether the last line has no newline yet, and whether its next character overwrites it from the start. */
  #isOpen = false
  #returns = false

  get first(): number {
    return this.#first
  }

  /** Number after that of the last line. */
  get end(): number {
    return this.#first + this.#lines.length
  }

  /** Number after that of the last line that ended. */
  get ended(): number {
    return this.end - (this.#isOpen ? 1 : 0)
  }

  line(number: number): OutputLine | undefined {
    return this.#lines[number - this.#first]
  }

  /** The plain text of lines, `to` included. */
  text(from: number = this.#first, to: number = this.end - 1): string {
    const lines = this.#lines.slice(Math.max(0, from - this.#first), Math.max(0, to + 1 - this.#first))
    return lines.map(lineText).join("\n")
  }

  push(stream: "stdout" | "stderr", content: string, time: number): void {
    this.#time = time
    this.#parsers[stream].push(content)
    while (
      this.#characters > maxCharacters && this.#lines.length > dropped || this.#lines.length >= maxLines + dropped
    ) {
      const gone = this.#lines.splice(0, dropped)
      this.#first += gone.length
      this.#characters -= gone.reduce((sum, { length }) => sum + length, 0)
    }
  }

  #parser(style: TextStyle): TerminalParser {
    return new TerminalParser({
      text: (text) => this.#write(text, style.classes),
      control: (character) => {
        if (character === "\n") this.#newline()
        else if (character === "\r") this.#returns = true
        else if (character === "\t") this.#write(character, style.classes)
      },
      escape: () => {},
      csi: (parameters, name) => {
        if (name === "m" && !/^[<=>?]/.test(parameters)) style.apply(parameters)
      },
    })
  }

  #newline(): void {
    if (!this.#isOpen) this.#open()
    this.#isOpen = this.#returns = false
  }

  #open(): OpenLine {
    const last = this.#isOpen ? this.#lines.at(-1) : undefined
    if (last !== undefined) return last
    const line: OpenLine = { time: this.#time, spans: [], length: 0, omitted: 0 }
    this.#lines.push(line)
    this.#isOpen = true
    return line
  }

  #write(text: string, classes: string): void {
    const line = this.#open()
    if (this.#returns) {
      this.#characters -= line.length
      line.spans = []
      line.length = line.omitted = 0
    }
    this.#returns = false
    const part = text.slice(0, maxLineLength - line.length)
    line.omitted += text.length - part.length
    line.length += part.length
    this.#characters += part.length
    if (part === "") return
    const last = line.spans.at(-1)
    if (last === undefined || last.classes !== classes && line.spans.length < maxSpans) {
      line.spans.push({ text: part, classes })
    } else line.spans[line.spans.length - 1] = { text: last.text + part, classes: last.classes }
  }
}
