/**
 * Branch and tag of entries as bits of one number.
 *
 * @module
 */
import { nameHash } from "./nameHash.ts"

/** So many pairs have a bit of their own; those that come later, and long ones, share the other eight. */
const ownBits = 24
const sharedBits = 8
const allShared = 0xff << ownBits

/** Most characters of a pair that is remembered. */
const longest = 256

const shared = (tag: string): number => 1 << (ownBits + nameHash(tag) % sharedBits)

/** A copy: a part of a text that was read would hold on to all of it. */
const copied = (text: string): string => [...text].join("")

/** The pairs of branch and tag that were met, the first ones by name. */
export class Kinds {
  readonly #branches = new Map<string, Map<string, number>>()
  #count = 0

  /** How many have a bit of their own. What {@link mask} said holds until there are more. */
  get count(): number {
    return this.#count
  }

  /** The bit of a pair. */
  bit(branch: string, tag: string): number {
    const known = this.#branches.get(branch)?.get(tag)
    if (known !== undefined) return known
    if (this.#count === ownBits || branch.length + tag.length > longest) return shared(tag)
    const bit = 1 << this.#count++
    const tags = this.#branches.get(branch)
    if (tags === undefined) this.#branches.set(copied(branch), new Map([[copied(tag), bit]]))
    else tags.set(copied(tag), bit)
    return bit
  }

  /** The bits of all pairs that are meant. `undefined` means every branch, or every tag. */
  mask(branch: string | undefined, tags: ReadonlyArray<string> | undefined): number {
    let mask = tags === undefined ? allShared : 0
    for (const tag of tags ?? []) mask |= shared(tag)
    for (const [name, bits] of this.#branches) {
      if (branch !== undefined && branch !== name) continue
      for (const [tag, bit] of bits) if (tags === undefined || tags.includes(tag)) mask |= bit
    }
    return mask
  }
}
