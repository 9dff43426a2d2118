/**
 * Something that a line holds somewhere, if it is meant.
 *
 * @module
 */
import type { Filter } from "../../Entry.ts"
import type { Block } from "./BlockReader.ts"

const utf8 = new TextEncoder()

/** A text as it stands in a block: its UTF-8, read as Latin-1. */
const inBlock = (text: string): string => Array.from(utf8.encode(text), (byte) => String.fromCharCode(byte)).join("")

/** Looks for a text in lines that are asked for one after the other, all forward or all backward. */
export class SubstringPrefilter {
  readonly #text: string
  readonly #backward: boolean
  #block: Block | undefined
  /** Where it was found last; -1 when it is not in what is left of the block. */
  #hit: number | undefined

  constructor(text: string, backward: boolean) {
    this.#text = text
    this.#backward = backward
  }

  /** Whether a line of a block holds it. */
  mayMatch(block: Block, at: number, end: number): boolean {
    if (block !== this.#block) {
      this.#block = block
      this.#hit = undefined
    }
    if (this.#hit === -1) return false
    if (this.#backward) {
      if (this.#hit === undefined || this.#hit >= end) this.#hit = block.text.lastIndexOf(this.#text, end)
    } else if (this.#hit === undefined || this.#hit < at) {
      this.#hit = block.text.indexOf(this.#text, at)
    }
    return this.#hit >= at && this.#hit < end
  }
}

/** More than these are looked for no faster than by reading every line. */
const maxNeedles = 16

/**
 * Of which one must be in a line that a filter means; `undefined` when that helps nothing. The store writes each text in
 * one way only, so it can be looked for as it stands.
 */
export const makePrefilters = (
  filter: Filter | undefined,
  backward: boolean,
): ReadonlyArray<SubstringPrefilter> | undefined => {
  const { branch, correlationId, tags } = filter ?? {}
  const key = correlationId !== undefined ? "correlationId" : tags !== undefined ? "tag" : "branch"
  const values = correlationId !== undefined ? [correlationId] : tags ?? (branch === undefined ? undefined : [branch])
  if (values === undefined || values.length > maxNeedles) return undefined
  return values.map((value) => new SubstringPrefilter(inBlock(`,"${key}":${JSON.stringify(value)},`), backward))
}
