/**
 * Shapes the lines of a file for a model: numbered, and no more than it can take in at once.
 *
 * @module
 */

/** Lines of a file, for a model. */
export interface NumberedLines {
  /** Each line as its number, a tab and its text. */
  readonly text: string
  /** Lines of the whole file. */
  readonly totalLines: number
  /** The first line that was left out after these; `undefined` at the end. */
  readonly nextLine: number | undefined
}

/** Maximum length of one line in UTF-16 units; the rest of it is left out. */
const maxLineLength = 2_000

/** The lines of a text from `first` (counted from 1), at most `maxLines` of them and about `maxLength` UTF-16 units. */
export const numberLines = (text: string, first: number, maxLines: number, maxLength: number): NumberedLines => {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  const shown: Array<string> = []
  let length = 0
  let at = first
  for (; at <= lines.length && shown.length < maxLines; at++) {
    const line = lines[at - 1] ?? ""
    const cut = line.length > maxLineLength
      ? `${line.slice(0, maxLineLength)} … (${line.length - maxLineLength} more)`
      : line
    const numbered = `${String(at).padStart(6)}\t${cut}`
    if (shown.length > 0 && length + numbered.length > maxLength) break
    shown.push(numbered)
    length += numbered.length + 1
  }
  return { text: shown.join("\n"), totalLines: lines.length, nextLine: at <= lines.length ? at : undefined }
}
