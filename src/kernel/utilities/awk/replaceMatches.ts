/** Replaces matches of a regular expression in a text, as `sub`, `gsub` and `gensub` do. */
import { FailureMemo, type Regex } from "../../regex/Regex.ts"
import type { Later } from "../../System.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { characterOffset } from "./values.ts"

/** Length of a text in a variable, in bytes: a regular expression reads it in one piece. */
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

export interface Replaced {
  readonly text: string
  readonly count: number
}

/** Replaces the match of number `nth`, counted from 1, or all from it on. */
export const replaceMatches = (
  io: UtilityIo,
  regex: Regex,
  text: string,
  parts: ReadonlyArray<ReplacementPart>,
  { all, nth, utf8 }: { readonly all: boolean; readonly nth: number; readonly utf8: boolean },
): Later<Replaced> => {
  const needsGroups = parts.some((part) => typeof part === "number" && part > 0)
  const failures = new FailureMemo()
  let from = 0
  let out = ""
  let copiedTo = 0
  let seen = 0
  let count = 0
  let lastEnd = -1

  const append = (start: number, end: number, slots: Int32Array | undefined): void => {
    out += text.slice(copiedTo, start)
    for (const part of parts) {
      if (typeof part === "string") out += part
      else if (part === 0) out += text.slice(start, end)
      else {
        const [groupStart = -1, groupEnd = -1] = slots?.subarray(2 * part, 2 * part + 2) ?? []
        if (groupStart >= 0) out += text.slice(groupStart, groupEnd)
      }
    }
    copiedTo = end
    count++
    if (out.length > maxTextLength) io.fail("a text is too large")
  }

  /** Takes the match that was found; what it waits for, or whether there may be another. */
  const take = (): Later<boolean> => {
    const { end, start } = regex
    from = end > start ? end : characterOffset(text, 1, utf8, start) + (start === text.length ? 1 : 0)
    // An empty match directly after a match does not count.
    if (start === end && start === lastEnd) return true
    lastEnd = end
    if (++seen < nth) return true
    const slots = needsGroups ? regex.captures(io.system, text) : undefined
    if (slots instanceof Promise) {
      return slots.then((found) => {
        append(start, end, found)
        return all
      })
    }
    append(start, end, slots)
    if (!all || (count & 63) !== 0) return all
    const turn = io.system.yield()
    return turn === undefined ? true : turn.then(() => true)
  }

  /** Goes on in the same turn where nothing waits: most texts are short. */
  const run = (): Later<Replaced> => {
    while (from <= text.length) {
      const found = regex.exec(io.system, text, from, failures)
      if (typeof found === "object") return found.then(async (isFound) => isFound && await take() ? run() : end())
      if (!found) break
      const goesOn = take()
      if (typeof goesOn === "object") return goesOn.then((yes) => yes ? run() : end())
      if (!goesOn) break
    }
    return end()
  }
  const end = (): Replaced => ({ text: count === 0 ? text : out + text.slice(copiedTo), count })
  return run()
}
