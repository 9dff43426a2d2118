/**
 * Splits a typed command line into words.
 *
 * @module
 */

/** The words of a line, and what in it a shell would not have taken for a word. */
export interface SplitLine {
  readonly words: ReadonlyArray<string>
  /** The first sign outside of quotes that means something else to a shell. */
  readonly sign: string | undefined
  /** Whether a quote is open at its end. */
  readonly open: boolean
}

/** Parts a line as a shell would: blanks, both kinds of quotes, backslashes, and nothing else. */
export const splitWords = (line: string): SplitLine => {
  const words: Array<string> = []
  let word: string | undefined
  let quote = ""
  let sign: string | undefined
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
      if (/[|&;<>`$]/.test(c)) sign ??= c
      word = `${word ?? ""}${c === "\\" ? line[++at] ?? "\\" : c}`
    }
  }
  if (word !== undefined) words.push(word)
  return { words, sign, open: quote !== "" }
}
