/**
 * Decides assertions such as `^`, `\b` and `\<` from the two neighbours of a position in a text.
 *
 * @module
 */
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

/** Whether an assertion holds between two neighbours. */
export const assertionHolds = (what: number, before: number, after: number, multiline: boolean): boolean => {
  const [isWordBefore, isWordAfter] = [before === Neighbor.word, after === Neighbor.word]
  switch (what) {
    case Assertion.lineStart:
      return before === Neighbor.edge || (multiline && before === Neighbor.newline)
    case Assertion.lineEnd:
      return after === Neighbor.edge || (multiline && after === Neighbor.newline)
    case Assertion.textStart:
      return before === Neighbor.edge
    case Assertion.textEnd:
      return after === Neighbor.edge
    case Assertion.wordEdge:
      return isWordBefore !== isWordAfter
    case Assertion.noWordEdge:
      return isWordBefore === isWordAfter
    case Assertion.wordStart:
      return !isWordBefore && isWordAfter
    case Assertion.wordEnd:
      return isWordBefore && !isWordAfter
    case Assertion.noWordBefore:
      return !isWordBefore
    default:
      return !isWordAfter
  }
}
