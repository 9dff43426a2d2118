/** Compiles the pattern of an address or of `s`. */
import { binaryToText } from "../../binaryString.ts"
import { compileRegex, type Regex } from "../../regex/Regex.ts"
import type { ScriptReader } from "./ScriptReader.ts"

export interface PatternOptions {
  readonly extended: boolean
  readonly utf8: boolean
}

/** Compiles a pattern, in which `\dNNN`, `\oNNN`, `\xHH` and `\cX` are characters; `undefined` if it is empty. */
export const compilePattern = (
  reader: ScriptReader,
  { extended, utf8 }: PatternOptions,
  text: string,
  flags: string,
): Regex | undefined => {
  if (text === "") return /[iImM]/.test(flags) ? reader.fail("cannot specify modifiers on empty regexp") : undefined
  const source = text.replace(
    /\\(?:\\|([dox])([0-9a-fA-F]{2,3})|c([^]))/g,
    (all: string, kind?: string, digits?: string, control?: string) => {
      if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) ^ 64)
      if (kind === undefined || digits === undefined) return all
      const used = kind === "x" ? digits.slice(0, 2) : digits
      const code = parseInt(used, kind === "d" ? 10 : kind === "o" ? 8 : 16)
      if (Number.isNaN(code)) return all
      const letter = String.fromCharCode(code & 255)
      return (/[.*[\]^$\\/+?(){}|]/.test(letter) ? `\\${letter}` : letter) + digits.slice(used.length)
    },
  )
  const isMultiline = /[mM]/.test(flags)
  const compiled = compileRegex([binaryToText(source)], {
    escapes: true,
    extended,
    ignoreCase: /[iI]/.test(flags),
    multiline: isMultiline,
    excludesNewline: isMultiline,
    utf8,
  })
  return typeof compiled === "string" ? reader.fail(compiled) : compiled
}
