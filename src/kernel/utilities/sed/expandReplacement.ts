import { binaryToText, textToBinary } from "../../binaryString.ts"
import type { ReplacementPart } from "./Script.ts"

/** What stands for a match: groups put in, cases changed. */
export const expandReplacement = (pieces: ReadonlyArray<ReplacementPart>, text: string, slots: Int32Array): string => {
  let out = ""
  let lasting = ""
  let once = ""
  const add = (part: string): void => {
    if (part === "") return
    let shown = lasting === "U" ? upper(part) : lasting === "L" ? lower(part) : part
    if (once !== "") shown = (once === "u" ? upper(shown[0] ?? "") : lower(shown[0] ?? "")) + shown.slice(1)
    once = ""
    out += shown
  }
  for (const piece of pieces) {
    if (piece._tag === "Text") add(piece.text)
    else if (piece._tag === "Case") {
      if (piece.letter === "u" || piece.letter === "l") once = piece.letter
      else {
        lasting = piece.letter
        if (piece.letter === "E") once = ""
      }
    } else {
      const start = slots[piece.index * 2] ?? -1
      if (start >= 0) add(text.slice(start, slots[piece.index * 2 + 1]))
    }
  }
  return out
}

const upper = (text: string): string => textToBinary(binaryToText(text).toUpperCase())
const lower = (text: string): string => textToBinary(binaryToText(text).toLowerCase())
