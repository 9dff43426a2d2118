/**
 * What a word says before anything runs.
 *
 * @module
 */
import type { Word } from "../SyntaxTree.ts"

/**
 * The one argument that a word becomes in every environment: its text without the quotes. `undefined` when that depends
 * on anything: expansions, `~`, braces, and characters that may match file names.
 */
export const staticText = (word: Word): string | undefined => {
  let text = ""
  // What may match file names; quoted characters cannot.
  let pattern = ""
  for (const part of word.parts) {
    if (part._tag === "Literal") pattern += part.value
    if (part._tag === "Literal" || part._tag === "Escaped" || part._tag === "SingleQuoted") text += part.value
    else if (part._tag === "DoubleQuoted") {
      for (const inner of part.parts) {
        if (inner._tag !== "Literal" && inner._tag !== "Escaped") return undefined
        text += inner.value
      }
    } else return undefined
  }
  return word.braces || word.assignment !== undefined || isPattern(pattern) ? undefined : text
}

/** `[` alone, the command, is none. */
const isPattern = (text: string): boolean =>
  /[*?]|[+@!]\(/.test(text) || (text.includes("[") && text.indexOf("[") < text.lastIndexOf("]"))
