/** Sets of characters: shorthands, classes in brackets, Unicode properties and letters of either case. */
import type { CharacterSet } from "./PerlProgram.ts"

export const isWord: CharacterSet = (code) =>
  code < 128 ? /\w/.test(String.fromCharCode(code)) : byPattern(/[\p{L}\p{M}\p{N}\p{Pc}]/u)(code)
export const byPattern = (pattern: RegExp): CharacterSet => (code) => pattern.test(String.fromCodePoint(code))
export const not = (set: CharacterSet): CharacterSet => (code) => !set(code)

export const unicodeShorthand: Readonly<Record<string, CharacterSet>> = {
  d: byPattern(/\p{Nd}/u),
  s: byPattern(/[\t-\r \x85\p{Z}]/u),
  h: byPattern(/[0-9a-fA-F]/),
  w: isWord,
}

// PCRE without UCP, as grep uses it: `\h`, `\v` and `\N` in addition to the sets of ASCII.
export const asciiShorthand: Readonly<Record<string, CharacterSet>> = {
  d: byPattern(/[0-9]/),
  s: byPattern(/[\t-\r ]/),
  w: byPattern(/\w/),
  h: byPattern(/[\t\p{Zs}\u180e]/u),
  v: byPattern(/[\n-\r\x85\u2028\u2029]/),
}

export const classPatterns: Readonly<Record<string, RegExp>> = {
  alnum: /[\p{L}\p{M}\p{Nd}]/u,
  alpha: /[\p{L}\p{M}]/u,
  ascii: /\p{ASCII}/u,
  blank: /[\t\p{Zs}]/u,
  cntrl: /\p{C}/u,
  digit: /\p{Nd}/u,
  graph: /[^\s\p{C}]/u,
  lower: /\p{Ll}/u,
  print: /[^\p{C}]/u,
  punct: /[\p{P}$+<=>^`|~]/u,
  space: /[\t-\r \x85\p{Z}]/u,
  upper: /\p{Lu}/u,
  xdigit: /[0-9a-fA-F]/,
  word: /[\p{L}\p{M}\p{N}\p{Pc}]/u,
}

export const unicodeProperty = (name: string): RegExp | undefined => {
  const tidy = name.replace(/[ _]/g, "_")
  for (const source of [tidy, `Script=${tidy}`]) {
    try {
      return new RegExp(`\\p{${source}}`, "u")
    } catch {
      // The name may be that of a script.
    }
  }
  return undefined
}

export const foldSet = (set: CharacterSet): CharacterSet => (code) => {
  if (set(code)) return true
  const letter = String.fromCodePoint(code)
  return set(letter.toLowerCase().codePointAt(0) ?? code) || set(letter.toUpperCase().codePointAt(0) ?? code)
}

const tables = new WeakMap<CharacterSet, CharacterSet>()

/** Keeps only the ASCII part of a set. */
export const withTable = (set: CharacterSet): CharacterSet => {
  const known = tables.get(set)
  if (known !== undefined) return known
  const table = Uint8Array.from({ length: 128 }, (_, code) => set(code) ? 1 : 0)
  const fast: CharacterSet = (code) => code < 128 ? table[code] === 1 : set(code)
  tables.set(set, fast)
  return fast
}
