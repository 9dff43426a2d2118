/** Fills byte arrays of any length with random bytes of the host's generator. */

/** Maximum bytes that `crypto.getRandomValues` fills in one call. */
const maxBytes = 65_536

/** Fills an array with random bytes, through a copy, because the generator accepts no shared memory. */
export const systemRandom = (into: Uint8Array): void => {
  for (let at = 0; at < into.length; at += maxBytes) {
    into.set(crypto.getRandomValues(new Uint8Array(Math.min(maxBytes, into.length - at))), at)
  }
}
