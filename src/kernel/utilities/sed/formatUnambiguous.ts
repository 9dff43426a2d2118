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

/** Characters of a part, in less than a millisecond. */
const partLength = 8_192

/** Formats a binary string in parts, `terminator` last; folds it at `width` columns if that is more than 1. */
export function* formatUnambiguous(
  text: string,
  width: number,
  utf8: boolean,
  terminator: string,
): Generator<string> {
  let out = ""
  let column = 0
  for (const letter of utf8 ? binaryToText(text) : text) {
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
    if (out.length < partLength) continue
    yield out
    out = ""
  }
  yield `${out}$${terminator}`
}
