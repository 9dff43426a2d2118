/**
 * Orders the elements of an associative array as bash does: by the buckets of its hash table.
 * Source: bash 5.2 `hashlib.c` and `assoc.c`.
 */
const firstBuckets = 1_024

/** The hash of a name (FNV-1); bytes are signed in bash. */
const hashOf = (key: string): number => {
  let hash = 2_166_136_261
  for (const byte of new TextEncoder().encode(key)) hash = Math.imul(hash, 16_777_619) ^ (byte << 24 >> 24)
  return hash
}

/** Returns the elements in bash's order. In a bucket the last one that was added is first. */
export const inTableOrder = (
  table: ReadonlyMap<string, string>,
): ReadonlyArray<readonly [key: string, value: string]> => {
  let buckets = firstBuckets
  while (table.size > buckets * 2) buckets *= 4
  const entries = [...table].reverse()
  if (entries.length < 2) return entries
  const places = new Map(entries.map(([key]) => [key, hashOf(key) & (buckets - 1)]))
  return entries.sort(([a], [b]) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
}
