/** Decides whether an assertion such as `^`, `\b` or `\<` holds between two neighbours. */
import { Assertion } from "./RegexNode.ts"

/** The kind of character beside a position. */
export const Neighbor = { edge: 0, other: 1, word: 2, newline: 3 } as const

/** The kind of a byte. In UTF-8 the bytes of characters outside ASCII count as letters. */
export const neighborOf = (byte: number, utf8: boolean): number =>
  byte === 10
    ? Neighbor.newline
    : (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte === 95 ||
        (utf8 && byte >= 128)
    ? Neighbor.word
    : Neighbor.other

/** The kind of the character at an index of a binary string. */
export const neighborAt = (text: string, at: number, utf8: boolean): number =>
  at < 0 || at >= text.length ? Neighbor.edge : neighborOf(text.charCodeAt(at), utf8)

type AssertionTest = (before: number, after: number, multiline: boolean) => boolean

const isEdge = (neighbor: number): boolean => neighbor === Neighbor.edge
const isWord = (neighbor: number): boolean => neighbor === Neighbor.word

const tests: Readonly<Record<number, AssertionTest>> = {
  [Assertion.lineStart]: (before, _, multiline) => isEdge(before) || (multiline && before === Neighbor.newline),
  [Assertion.lineEnd]: (_, after, multiline) => isEdge(after) || (multiline && after === Neighbor.newline),
  [Assertion.textStart]: (before) => isEdge(before),
  [Assertion.textEnd]: (_, after) => isEdge(after),
  [Assertion.wordEdge]: (before, after) => isWord(before) !== isWord(after),
  [Assertion.noWordEdge]: (before, after) => isWord(before) === isWord(after),
  [Assertion.wordStart]: (before, after) => !isWord(before) && isWord(after),
  [Assertion.wordEnd]: (before, after) => isWord(before) && !isWord(after),
  [Assertion.noWordBefore]: (before) => !isWord(before),
  [Assertion.noWordAfter]: (_, after) => !isWord(after),
}

export const assertionHolds = (what: number, before: number, after: number, multiline: boolean): boolean =>
  tests[what]?.(before, after, multiline) === true
