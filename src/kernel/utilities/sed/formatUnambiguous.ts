import { binaryToText, textToBinary } from "../../binaryString.ts"

const named: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
}

/** A line as `l` shows it. */
export const formatUnambiguous = (text: string, width: number, utf8: boolean): string => {
  let out = ""
  let column = 0
  const whole = utf8 ? Array.from(binaryToText(text)) : [...text]
  for (const letter of whole) {
    const code = letter.codePointAt(0) ?? 0
    const shown = named[letter] ??
      (code >= 32 && code < 127
        ? letter
        : [...textToBinary(utf8 ? letter : "")].concat(utf8 ? [] : [letter]).map((byte) =>
          `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`
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
