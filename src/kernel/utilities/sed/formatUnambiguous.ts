/** Formats the pattern space as the `sed` command `l` prints it. */
import { escapeByte } from "../../escapeByte.ts"
import { binaryToText, textToBinary } from "../../binaryString.ts"

/** Number of characters of a part, formatted in less than a millisecond. */
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
    const shown = code >= 32 && code < 127 && letter !== "\\"
      ? letter
      : Array.from(utf8 ? textToBinary(letter) : letter, escapeByte).join("")
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
