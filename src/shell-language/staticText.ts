/** Determines the text of a word that depends on no expansion. */
import type { Word } from "./SyntaxTree.ts"

/**
 * The argument that a word becomes in any context; `undefined` if it depends on expansions, `~`, braces or file names.
 */
export const staticText = (word: Word): string | undefined => {
  let text = ""
  // Unquoted text, which may match file names.
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
  return word.braces || word.assignment !== undefined || hasPatternCharacters(pattern) ? undefined : text
}

/** Whether a text has characters that are special in a pattern. `[` alone, the command, is not a pattern. */
export const hasPatternCharacters = (text: string): boolean =>
  /[*?]|[+@!]\(/.test(text) || (text.includes("[") && text.indexOf("[") < text.lastIndexOf("]"))
