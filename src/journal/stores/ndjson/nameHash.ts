/**
 * A number of 32 bits for a name: equal names have equal ones.
 *
 * Source: FNV-1a by Fowler, Noll and Vo, over UTF-16 units; the last step is that of MurmurHash3 (fmix32).
 *
 * @module
 */

const offsetBasis = 0x811c9dc5
const prime = 0x01000193

const mixed = (state: number): number => {
  let hash = state
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The number of a name. */
export const nameHash = (name: string): number => {
  let state = offsetBasis
  for (let index = 0; index < name.length; index++) state = Math.imul(state ^ name.charCodeAt(index), prime)
  return mixed(state)
}

const quote = 34
const backslash = 92
const lastOfAscii = 126

/** The number of a name that stands in bytes, up to a quote. */
export class HashAt {
  /** The number. */
  hash = 0
  /** Where the quote is. */
  end = 0

  /** Reads the name that begins at an index; not one that is escaped, or of more than ASCII. */
  read(bytes: Uint8Array, from: number): boolean {
    const { length } = bytes
    let state = offsetBasis
    for (let index = from; index < length; index++) {
      const code = bytes[index] ?? quote
      if (code === quote) {
        this.hash = mixed(state)
        this.end = index
        return true
      }
      if (code === backslash || code > lastOfAscii) return false
      state = Math.imul(state ^ code, prime)
    }
    return false
  }
}
