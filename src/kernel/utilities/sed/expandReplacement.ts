/** Expands the replacement of the `sed` command `s` for one match: inserts groups and changes their case. */
import { binaryToText, textToBinary } from "../../binaryString.ts"
import type { ReplacementPart } from "./Script.ts"

const changeCase = (text: string, letter: string): string => {
  const mode = letter.toUpperCase()
  if (mode !== "U" && mode !== "L") return text
  return textToBinary(mode === "U" ? binaryToText(text).toUpperCase() : binaryToText(text).toLowerCase())
}

/** Expands the parts for a match in a binary string; `slots` are the starts and ends of its groups. */
export const expandReplacement = (parts: ReadonlyArray<ReplacementPart>, text: string, slots: Int32Array): string => {
  let out = ""
  /** `U`, `L` or `E`, until the next of them; and `u` or `l`, for one character. */
  let lasting = ""
  let once = ""
  const add = (part: string): void => {
    if (part === "") return
    const cased = changeCase(part, lasting)
    out += changeCase(cased[0] ?? "", once) + cased.slice(1)
    once = ""
  }
  for (const part of parts) {
    if (part._tag === "Text") add(part.text)
    else if (part._tag === "Group") {
      const start = slots[part.index * 2] ?? -1
      if (start >= 0) add(text.slice(start, slots[part.index * 2 + 1]))
    } else if (part.letter === "u" || part.letter === "l") once = part.letter
    else {
      lasting = part.letter
      if (lasting === "E") once = ""
    }
  }
  return out
}
