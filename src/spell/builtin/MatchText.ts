/** Collects the lines of a search as text for a model, file by file, within a budget. */
import type { FileMatch } from "../../files/FileSearch.ts"

/** Maximum UTF-16 units of one line; of a longer line, the part around its match is shown. */
const maxLineLength = 400

const shorten = (text: string, at: number): string => {
  if (text.length <= maxLineLength) return text
  const from = Math.max(0, Math.min(at - maxLineLength / 2, text.length - maxLineLength))
  const to = from + maxLineLength
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`
}

/** Lines of text, and the last line of the file that is shown. */
export class MatchText {
  readonly #maxLength: number
  readonly #lines: Array<string> = []
  #length = 0
  #path: string | undefined
  #shownTo = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  get text(): string {
    return this.#lines.join("\n")
  }

  #add(lines: ReadonlyArray<string>): boolean {
    const length = lines.reduce((sum, line) => sum + line.length + 1, 0)
    if (this.#length + length > this.#maxLength) return false
    this.#lines.push(...lines)
    this.#length += length
    return true
  }

  addLine(line: string): boolean {
    return this.#add([line])
  }

  /** Adds a match with its context, if it fits. Each line is shown once, as a match if it is one. */
  addMatch({ after, before, column, line, path, text }: FileMatch): boolean {
    const isNew = path !== this.#path
    const shownTo = isNew ? 0 : this.#shownTo
    // The lines after a match are shown with the next match, unless it is in another file, because they may match
    // themselves.
    const first = line - before.length
    const lines = [
      ...(isNew ? [...(this.#lines.length > 0 ? [""] : []), path] : []),
      ...before.flatMap((one, index) => first + index > shownTo ? [`${first + index}-${shorten(one, 0)}`] : []),
      `${line}:${shorten(text, column - 1)}`,
      ...after.map((one, index) => `${line + 1 + index}-${shorten(one, 0)}`),
    ]
    // The lines after the previous match were shown as context: from this line on they are new.
    const dropped = isNew ? [] : this.#dropFrom(line)
    if (this.#add(lines)) {
      this.#path = path
      this.#shownTo = line + after.length
      return true
    }
    this.#lines.push(...dropped)
    return false
  }

  /** Removes the context lines at the end, from a given line of the file on, and returns them. */
  #dropFrom(line: number): ReadonlyArray<string> {
    const dropped: Array<string> = []
    for (;;) {
      const last = this.#lines.at(-1)
      const number = last === undefined ? NaN : Number(/^(\d+)-/.exec(last)?.[1])
      if (last === undefined || !(number >= line)) return dropped
      this.#lines.pop()
      dropped.unshift(last)
    }
  }
}
