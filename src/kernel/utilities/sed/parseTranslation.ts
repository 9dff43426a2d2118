/** Parses what follows a `y`. */
import { binaryToText } from "../../binaryString.ts"
import type { PatternOptions } from "./compilePattern.ts"
import type { Action } from "./Script.ts"
import { controls, type ScriptReader } from "./ScriptReader.ts"

export const parseTranslation = (reader: ScriptReader, { utf8 }: PatternOptions): Action => {
  const delimiter = reader.take()
  const takeCharacters = (): Array<string> => {
    const text = reader.takeReplacement(delimiter).replace(
      /\\([^])/g,
      (_all, next: string) => next === "\\" ? "\\" : controls[next] ?? `\\${next}`,
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
