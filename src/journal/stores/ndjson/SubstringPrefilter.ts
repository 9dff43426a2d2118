/**
 * Rejects lines that cannot match a filter by a substring search over whole blocks, before the lines are parsed.
 *
 * Without it, a read with a filter takes three times as long.
 *
 * @module
 */
import { encodeUtf8 } from "../../../base/bytes.ts"
import type { Filter } from "../../Entry.ts"
import type { Block } from "./BlockReader.ts"

/** A text as a {@link Block} holds it: its UTF-8 bytes decoded as Latin-1. */
const toBlockText = (text: string): string => Array.from(encodeUtf8(text), (byte) => String.fromCharCode(byte)).join("")

/** Searches for one text in lines that are tested in order, all forward or all backward: no byte is searched twice. */
export class SubstringPrefilter {
  readonly #text: string
  readonly #isBackward: boolean
  #block: Block | undefined
  /** The last occurrence found in the block; -1 when the rest of the block has none. */
  #foundAt: number | undefined

  constructor(text: string, isBackward: boolean) {
    this.#text = text
    this.#isBackward = isBackward
  }

  /** Whether a line of a block contains the text. */
  mayMatch(block: Block, at: number, end: number): boolean {
    if (block !== this.#block) {
      this.#block = block
      this.#foundAt = undefined
    }
    if (this.#foundAt === -1) return false
    if (this.#isBackward) {
      if (this.#foundAt === undefined || this.#foundAt >= end) {
        this.#foundAt = block.text.lastIndexOf(this.#text, end)
      }
    } else if (this.#foundAt === undefined || this.#foundAt < at) {
      this.#foundAt = block.text.indexOf(this.#text, at)
    }
    return this.#foundAt >= at && this.#foundAt < end
  }
}

/** With more texts than this, parsing each line is as fast. */
const maxPrefilters = 16

/**
 * Makes prefilters: at least one accepts each line that a filter matches. `undefined` when every line must be parsed. The store encodes each name in exactly one way, so the encoded form can be searched for.
 */
export const makePrefilters = (
  filter: Filter | undefined,
  isBackward: boolean,
): ReadonlyArray<SubstringPrefilter> | undefined => {
  const { branch, correlationId, tags } = filter ?? {}
  const key = correlationId !== undefined ? "correlationId" : tags !== undefined ? "tag" : "branch"
  const values = correlationId !== undefined ? [correlationId] : tags ?? (branch === undefined ? undefined : [branch])
  if (values === undefined || values.length > maxPrefilters) return undefined
  return values.map((value) => new SubstringPrefilter(toBlockText(`,"${key}":${JSON.stringify(value)},`), isBackward))
}
