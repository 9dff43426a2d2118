/**
 * Compiles a shell pattern to a test of whole names, in time proportional to pattern length times name length.
 *
 * Source: fnmatch(3).
 *
 * @module
 */
import { classRanges } from "../../regex/characterClasses.ts"

/** Tests one character; `undefined` is a star. */
type GlobPart = ((code: number) => boolean) | undefined

/** Maximum number of unclosed brackets that are looked for: each search runs to the end of the pattern. */
const maxUnclosed = 32

/** Parses a bracket expression: its test and the index of its `]`; `undefined` if it is not closed. */
const parseBracket = (text: ReadonlyArray<number>, from: number): readonly [GlobPart, number] | undefined => {
  let at = from + 1
  const negated = text[at] === 33 || text[at] === 94
  if (negated) at++
  const ranges: Array<number> = []
  // If one class is not closed, no later one is.
  let mayEnd = true
  for (let first = true; first || text[at] !== 93; first = false) {
    const code = text[at]
    if (code === undefined) return undefined
    if (mayEnd && code === 91 && text[at + 1] === 58) {
      let end = at + 2
      while (end < text.length && (text[end] !== 58 || text[end + 1] !== 93)) end++
      mayEnd = end < text.length
      if (mayEnd) {
        // No class name is longer.
        const name = String.fromCodePoint(...text.slice(at + 2, Math.min(end, at + 12)))
        ranges.push(...(classRanges(name, true) ?? []))
        at = end + 2
        continue
      }
    }
    if (code === 92) at++
    const low = text[at] ?? 92
    let high = low
    if (text[at + 1] === 45 && text[at + 2] !== undefined && text[at + 2] !== 93) {
      at += 2
      high = text[at] ?? low
    }
    ranges.push(low, high)
    at++
  }
  const within = (code: number): boolean => {
    for (let index = 0; index < ranges.length; index += 2) {
      if (code >= (ranges[index] ?? 0) && code <= (ranges[index + 1] ?? 0)) return true
    }
    return false
  }
  return [(code) => within(code) !== negated, at]
}

/** Compiles a pattern of `*`, `?`, `[a-z]`, `[!a]`, `[[:digit:]]` and `\*`. */
export const compileGlob = (pattern: string, ignoreCase = false): (name: string) => boolean => {
  const letters = (text: string): Array<number> =>
    Array.from(ignoreCase ? text.toLowerCase() : text, (letter) => letter.codePointAt(0) ?? 0)
  const text = letters(pattern)
  const parts: Array<GlobPart> = []
  let unclosed = 0
  for (let at = 0; at < text.length; at++) {
    const code = text[at] ?? 0
    const set = code === 91 && unclosed < maxUnclosed ? parseBracket(text, at) : undefined
    if (code === 91 && set === undefined) unclosed++
    if (code === 42) parts.push(undefined)
    else if (code === 63) parts.push(() => true)
    else if (set !== undefined) {
      parts.push(set[0])
      at = set[1]
    } else {
      const literal = code === 92 && at + 1 < text.length ? text[++at] ?? 0 : code
      parts.push((other) => other === literal)
    }
  }
  return (name) => {
    const codes = letters(name)
    let at = 0
    let part = 0
    let star = -1
    let again = 0
    while (at < codes.length) {
      const test = parts[part]
      if (part < parts.length && test === undefined) {
        star = part++
        again = at
      } else if (test?.(codes[at] ?? 0)) {
        at++
        part++
      } else if (star >= 0) {
        // The last star takes one more character; earlier stars need no second try.
        part = star + 1
        at = ++again
      } else return false
    }
    while (part < parts.length && parts[part] === undefined) part++
    return part === parts.length
  }
}
