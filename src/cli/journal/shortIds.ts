/**
 * Computes the shortest prefix length at which command ids differ, for lists.
 *
 * @module
 */

/** Shortest that an id becomes. */
const minLength = 8

/** How many characters of an id tell it from another. */
const tellingLength = (id: string, other: string | undefined): number => {
  if (other === undefined || other === id) return 0
  let same = 0
  while (same < id.length && id[same] === other[same]) same++
  return same + 1
}

/**
 * How many characters of an id tell it from those before and after it. Ids that were made in order (UUIDv7) are told from
 * all others so.
 */
export const shortIdLength = (id: string, neighbours: ReadonlyArray<string | undefined>): number => {
  const length = neighbours.reduce((most, other) => Math.max(most, tellingLength(id, other)), minLength)
  // One that ends with a dash looks as if it had been cut off by mistake.
  return Math.min(id.length, id[length - 1] === "-" ? length + 1 : length)
}
