/** Formats the pattern space as the `sed` command `l` prints it. */
import { binaryToText, textToBinary } from "../../binaryString.ts"

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
}

/** Formats a binary string; folds it at `width` columns if that is more than 1. */
export const formatUnambiguous = (text: string, width: number, utf8: boolean): string => {
  let out = ""
  let column = 0
  const whole = utf8 ? Array.from(binaryToText(text)) : [...text]
  for (const letter of whole) {
    const code = letter.codePointAt(0) ?? 0
    const shown = escapes[letter] ??
      (code >= 32 && code < 127 ? letter : Array.from(
        utf8 ? textToBinary(letter) : letter,
        (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`,
      ).join(""))
    if (width > 1 && column + shown.length > width - 1) {
      out += "\\\n"
      column = 0
    }
    out += shown
    column += shown.length
  }
  return `${out}$\n`
}
