/** Computes how many characters of a command id a list must show to distinguish it from the ids before and after it. */
/** Minimum length of a shortened id. */
const minLength = 8

/** The length of the shortest prefix of an id that another id does not have. */
const distinguishingLength = (id: string, other: string | undefined): number => {
  if (other === undefined || other === id) return 0
  let same = 0
  while (same < id.length && id[same] === other[same]) same++
  return same + 1
}

/**
 * The length of the prefix that distinguishes an id from the ids before and after it. For ids made in order (UUIDv7)
 * it then distinguishes the id from all others.
 */
export const shortIdLength = (id: string, neighbours: ReadonlyArray<string | undefined>): number => {
  const length = neighbours.reduce((max, other) => Math.max(max, distinguishingLength(id, other)), minLength)
  // A prefix that ends with a dash looks cut off by mistake.
  return Math.min(id.length, id[length - 1] === "-" ? length + 1 : length)
}
