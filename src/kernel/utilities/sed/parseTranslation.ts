/** Parses the arguments of the `sed` command `y`. */
import { binaryToText } from "../../binaryString.ts"
import type { PatternOptions } from "./compilePattern.ts"
import type { Action } from "./Script.ts"
import { controls, type ScriptReader } from "./ScriptReader.ts"

export const parseTranslation = (reader: ScriptReader, { utf8 }: PatternOptions): Action => {
  const delimiter = reader.take()
  const takeCharacters = (): Array<string> => {
    const text = reader.takeReplacement(delimiter).replace(
      /\\(?:d([0-9]{3})|o([0-7]{3})|x([0-9a-fA-F]{2})|c([^])|([^]))/g,
      (_all, decimal?: string, octal?: string, hex?: string, control?: string, next = "") => {
        if (decimal !== undefined) return String.fromCharCode(parseInt(decimal, 10) & 255)
        if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 255)
        if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16))
        if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) ^ 64)
        return next === "\\" ? "\\" : controls[next] ?? `\\${next}`
      },
    )
    return Array.from(utf8 ? binaryToText(text) : text)
  }
  const [from, to] = [takeCharacters(), takeCharacters()]
  if (from.length !== to.length) reader.fail("strings for `y' command are different lengths")
  reader.expectEnd()
  if ([...from, ...to].some((letter) => letter > "\x7f")) {
    return { _tag: "Translate", map: new Map(from.map((letter, at) => [letter, to[at] ?? letter])) }
  }
  const map = Uint8Array.from({ length: 256 }, (_, code) => code)
  from.forEach((letter, at) => map[letter.charCodeAt(0)] = (to[at] ?? letter).charCodeAt(0))
  return { _tag: "Translate", map }
}
