/** Parses the right-hand side of the `sed` command `s` into its parts: text, groups and changes of case. */
import type { ReplacementPart } from "./Script.ts"
import { controls } from "./ScriptReader.ts"

export const parseReplacement = (text: string): ReadonlyArray<ReplacementPart> => {
  const parts: Array<ReplacementPart> = []
  const addText = (part: string): void => {
    const last = parts.at(-1)
    if (last?._tag === "Text") parts[parts.length - 1] = { _tag: "Text", text: last.text + part }
    else parts.push({ _tag: "Text", text: part })
  }
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ""
    if (letter === "&") parts.push({ _tag: "Group", index: 0 })
    else if (letter !== "\\") addText(letter)
    else {
      const next = text[++at] ?? "\\"
      const code = /^(?:x[0-9a-fA-F]{1,2}|o[0-7]{1,3}|d[0-9]{1,3})/.exec(text.slice(at))?.[0]
      if (/[0-9]/.test(next)) parts.push({ _tag: "Group", index: Number(next) })
      else if (/[LUluE]/.test(next)) parts.push({ _tag: "Case", letter: next })
      else if (code !== undefined) {
        addText(String.fromCharCode(parseInt(code.slice(1), next === "x" ? 16 : next === "o" ? 8 : 10) & 255))
        at += code.length - 1
      } else addText(controls[next] ?? next)
    }
  }
  return parts
}
