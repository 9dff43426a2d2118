/** Removes escape sequences and control characters from output for a terminal, also across pieces. */
import { TerminalParser } from "./TerminalParser.ts"

const ignore = (): void => {}

/** A decoder of one output. */
export class PlainText {
  #text = ""
  readonly #parser = new TerminalParser({
    text: (text) => {
      this.#text += text
    },
    control: (character) => {
      if (character === "\t" || character === "\n") this.#text += character
    },
    escape: ignore,
    csi: ignore,
  })

  /** The text of the next piece: printable characters, tabs and newlines. */
  push(piece: string): string {
    this.#text = ""
    this.#parser.push(piece)
    return this.#text
  }
}
