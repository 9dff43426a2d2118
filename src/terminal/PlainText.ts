/**
 * Removes escape sequences and control characters from the output of a terminal, also across chunks.
 *
 * Source: ECMA-48, "Control Functions for Coded Character Sets"; xterm's control sequences for OSC with BEL.
 *
 * @module
 */

type State = "text" | "escape" | "intermediate" | "sequence" | "string" | "string-escape"

/** A decoder of one stream. */
export class PlainText {
  #state: State = "text"

  /** The text of the next piece: printable characters, tabs and newlines. */
  push(piece: string): string {
    let text = ""
    for (const character of piece) {
      if (this.#accepts(character)) text += character
    }
    return text
  }

  #accepts(character: string): boolean {
    const code = character.codePointAt(0) ?? 0
    // CAN and SUB cancel any sequence.
    if (code === 0x18 || code === 0x1a) {
      this.#state = "text"
      return false
    }
    switch (this.#state) {
      case "text":
        return this.#inText(code)
      case "escape":
        // CSI; DCS, SOS, OSC, PM and APC; designations of character sets and the like; any other is one character.
        this.#state = character === "["
          ? "sequence"
          : "PX]^_".includes(character)
          ? "string"
          : code >= 0x20 && code <= 0x2f
          ? "intermediate"
          : "text"
        return false
      case "intermediate":
        if (code < 0x20 || code > 0x2f) this.#state = "text"
        return false
      case "sequence":
        if (code === 0x1b) this.#state = "escape"
        else if (code >= 0x40 && code <= 0x7e) this.#state = "text"
        return false
      case "string":
        if (code === 0x07 || code === 0x9c) this.#state = "text"
        else if (code === 0x1b) this.#state = "string-escape"
        return false
      case "string-escape":
        this.#state = "text"
        // The terminator is `ESC \`; another sequence ends the string too.
        return character === "\\" ? false : (this.#state = "escape", this.#accepts(character))
    }
  }

  #inText(code: number): boolean {
    if (code === 0x1b) this.#state = "escape"
    else if (code === 0x9b) this.#state = "sequence"
    else if (code === 0x90 || code === 0x98 || (code >= 0x9d && code <= 0x9f)) this.#state = "string"
    else return code === 0x09 || code === 0x0a || (code >= 0x20 && (code < 0x7f || code > 0x9f))
    return false
  }
}
