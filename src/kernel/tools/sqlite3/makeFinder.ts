/** Finds bytes in time that grows with the sum of both lengths. Source: Knuth, Morris and Pratt, 1977. */

/** For each prefix, the length of the longest shorter prefix that it ends with. */
const bordersOf = (needle: Uint8Array): Int32Array => {
  const borders = new Int32Array(needle.length)
  for (let at = 1, length = 0; at < needle.length; at++) {
    while (length > 0 && needle[at] !== needle[length]) length = borders[length - 1] ?? 0
    if (needle[at] === needle[length]) length++
    borders[at] = length
  }
  return borders
}

/** Returns a search for bytes that are not none: the first place from `from` on, or -1. */
export const makeFinder = (needle: Uint8Array): (bytes: Uint8Array, from: number) => number => {
  const first = needle[0] ?? 0
  let borders: Int32Array | undefined
  return (bytes, from) => {
    for (let at = from, length = 0; at < bytes.length; at++) {
      while (length > 0 && bytes[at] !== needle[length]) length = (borders ??= bordersOf(needle))[length - 1] ?? 0
      // A call of `indexOf` takes longer than the loop where places are close to each other.
      if (length === 0) { while (bytes[at] !== first) if (++at >= bytes.length) return -1 }
      if (++length === needle.length) return at + 1 - length
    }
    return -1
  }
}
