/** Splits a typed command line into words, and finds an open quote or a character that needs a shell. */

/** The words of a line, and the first shell syntax in it. */
export interface SplitLine {
  readonly words: ReadonlyArray<string>
  /** The first unquoted character that has a special meaning in a shell. */
  readonly shellCharacter: string | undefined
  /** Whether the line ends within a quote. */
  readonly hasOpenQuote: boolean
}

/** Splits a line into words as a shell does: by blanks, with both kinds of quotes and backslashes. */
export const splitWords = (line: string): SplitLine => {
  const words: Array<string> = []
  let word: string | undefined
  let quote = ""
  let shellCharacter: string | undefined
  for (let at = 0; at < line.length; at++) {
    const c = line[at] ?? ""
    if (quote !== "") {
      if (c === quote) quote = ""
      else if (c === "\\" && quote === '"' && /["\\]/.test(line[at + 1] ?? "")) {
        word = `${word ?? ""}${line[++at] ?? ""}`
      } else word = `${word ?? ""}${c}`
    } else if (c === "'" || c === '"') {
      quote = c
      word ??= ""
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      if (/[|&;<>`$]/.test(c)) shellCharacter ??= c
      word = `${word ?? ""}${c === "\\" ? line[++at] ?? "\\" : c}`
    }
  }
  if (word !== undefined) words.push(word)
  return { words, shellCharacter, hasOpenQuote: quote !== "" }
}
