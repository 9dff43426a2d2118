/** Replaces matches of a regular expression in a text, as `sub`, `gsub` and `gensub` do. */
import type { Regex } from "../../regex/Regex.ts"
import type { Later } from "../../System.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { type Replaced, replaceMatches as replaceIn, type Replacement } from "../shared/replaceMatches.ts"

/** Maximum length of a text in a variable, in bytes: a regular expression reads it in one piece. */
export const maxTextLength: number = 64 * 1024 * 1024

/** A part of a replacement: text, or the group of a match (0 is the match). */
export type ReplacementPart = string | number

/** Reads the replacement of `sub` and `gsub`: `&` is the match, `\&` an ampersand, `\\` before one a backslash. */
export const parseReplacement = (text: string): ReadonlyArray<ReplacementPart> => {
  const parts: Array<ReplacementPart> = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(/\\*&/g)) {
    const slashes = found.length - 1
    parts.push(text.slice(from, index) + "\\".repeat(slashes >> 1) + (slashes % 2 === 1 ? "&" : ""))
    if (slashes % 2 === 0) parts.push(0)
    from = index + found.length
  }
  parts.push(text.slice(from))
  return parts
}

/** Reads the replacement of `gensub`, which also has `\0` to `\9`. */
export const parseGensubReplacement = (text: string): ReadonlyArray<ReplacementPart> => {
  const parts: Array<ReplacementPart> = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(/\\[0-9&\\]|&/g)) {
    parts.push(text.slice(from, index))
    const last = found.at(-1) ?? ""
    parts.push(found === "&" ? 0 : last === "&" || last === "\\" ? last : Number(last))
    from = index + found.length
  }
  parts.push(text.slice(from))
  return parts
}

/** Replaces the match of number `nth`, counted from 1, or all from it on. */
export const replaceMatches = (
  io: UtilityIo,
  regex: Regex,
  text: string,
  parts: ReadonlyArray<ReplacementPart>,
  options: Pick<Replacement, "all" | "nth" | "utf8">,
): Later<Replaced> =>
  replaceIn(io.system, regex, text, {
    ...options,
    needsGroups: parts.some((part) => typeof part === "number" && part > 0),
    expand: (start, end, groups) => {
      let out = ""
      for (const part of parts) {
        if (typeof part === "string") out += part
        else if (part === 0) out += text.slice(start, end)
        else if (groups !== undefined && (groups[2 * part] ?? -1) >= 0) {
          out += text.slice(groups[2 * part], groups[2 * part + 1])
        }
      }
      return out
    },
    checkLength: (length) => length > maxTextLength && io.fail("a text is too large"),
  })
