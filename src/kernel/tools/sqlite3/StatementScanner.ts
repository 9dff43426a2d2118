/** Checks whether lines end with a complete statement. Source: sqlite3_complete(3). */

/** Number of characters that are searched for the words around a trigger. */
const maxTail = 512

/** Reads a statement line by line, each character once: a statement that never ends must not take quadratic time. */
export class StatementScanner {
  /** The delimiter that ends the open string, name or comment. */
  #close: string | undefined
  /** The end of the text, without strings, quoted names and comments. */
  #tail = ""
  #isTrigger = false

  /** Reads a line with its newline. Returns whether it ends a statement: a trigger ends with `END;`. */
  add(line: string): boolean {
    const parts = [this.#tail]
    for (let at = 0; at < line.length;) {
      if (this.#close !== undefined) {
        const end = line.indexOf(this.#close, at)
        if (end < 0) break
        at = end + this.#close.length
        this.#close = undefined
        continue
      }
      const found = /['"`[]|--|\/\*/g
      found.lastIndex = at
      const match = found.exec(line)
      parts.push(line.slice(at, match?.index))
      if (match === null) break
      const [mark] = match
      at = match.index + mark.length
      this.#close = mark === "[" ? "]" : mark === "--" ? "\n" : mark === "/*" ? "*/" : mark
      parts.push(mark === "--" || mark === "/*" ? " " : "x")
    }
    const text = parts.join("")
    this.#isTrigger ||= /\bcreate\s{1,200}(?:temp(?:orary)?\s{1,200})?trigger\b/i.test(text)
    const end = text.trimEnd()
    this.#tail = text.slice(-maxTail)
    if (this.#close !== undefined || !end.endsWith(";")) return false
    return !this.#isTrigger || /;\s*end\s*;$/i.test(end.slice(-maxTail))
  }
}
