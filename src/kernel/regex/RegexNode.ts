/** Declares the syntax tree of a regular expression and the operations on its ranges of characters. */

/** Pairs of the first and the last character of each range, ascending and disjoint. */
export type CharacterRanges = ReadonlyArray<number>

/** Kinds of assertions about a position between two characters. */
export const Assertion = {
  lineStart: 0,
  lineEnd: 1,
  textStart: 2,
  textEnd: 3,
  wordEdge: 4,
  noWordEdge: 5,
  wordStart: 6,
  wordEnd: 7,
  noWordBefore: 8,
  noWordAfter: 9,
} as const

export type RegexNode =
  | { readonly _tag: "Set"; readonly ranges: CharacterRanges }
  | { readonly _tag: "All"; readonly of: ReadonlyArray<RegexNode> }
  | { readonly _tag: "Any"; readonly of: ReadonlyArray<RegexNode> }
  | { readonly _tag: "Repeat"; readonly of: RegexNode; readonly min: number; readonly max: number }
  | { readonly _tag: "Group"; readonly index: number; readonly of: RegexNode }
  | { readonly _tag: "At"; readonly what: number }
  | { readonly _tag: "Back"; readonly index: number }

/** The largest character, of bytes or of Unicode. */
export const maxCharacter = (utf8: boolean): number => utf8 ? 0x10ffff : 0xff

/** Sorts ranges and joins those that touch. */
export const mergeRanges = (ranges: ReadonlyArray<number>): Array<number> => {
  const pairs: Array<[number, number]> = []
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? 0])
  pairs.sort((a, b) => a[0] - b[0])
  const out: Array<number> = []
  for (const [low, high] of pairs) {
    const before = out[out.length - 1]
    if (before !== undefined && low <= before + 1) out[out.length - 1] = Math.max(before, high)
    else out.push(low, high)
  }
  return out
}

export const complementRanges = (ranges: ReadonlyArray<number>, utf8: boolean): Array<number> => {
  const out: Array<number> = []
  let next = 0
  for (let at = 0; at < ranges.length; at += 2) {
    const low = ranges[at] ?? 0
    if (low > next) out.push(next, low - 1)
    next = (ranges[at + 1] ?? 0) + 1
  }
  if (next <= maxCharacter(utf8)) out.push(next, maxCharacter(utf8))
  return out
}

export const foldCase = (ranges: ReadonlyArray<number>, utf8: boolean): Array<number> => {
  const out = [...ranges]
  for (let at = 0; at < ranges.length; at += 2) {
    const low = ranges[at] ?? 0
    // Large ranges contain both cases already; letters beyond Greek Extended are not folded.
    const high = Math.min(ranges[at + 1] ?? 0, utf8 ? Math.min(low + 2048, 0x2fff) : 0x7f)
    for (let code = low; code <= high; code++) {
      const letter = String.fromCodePoint(code)
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        const value = other.codePointAt(0) ?? code
        if (value !== code && other.length === (value > 0xffff ? 2 : 1)) out.push(value, value)
      }
    }
  }
  return mergeRanges(out)
}
