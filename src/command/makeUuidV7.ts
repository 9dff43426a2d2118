/** Generates UUIDv7 identifiers (RFC 9562) that sort in the order they were made. */
const hex: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

let lastMillis = 0
let counter = 0
/** Random bytes for many ids: requesting eight from the system takes as long as everything else of an id. */
const random = new Uint8Array(1_024)
let used = random.length

/**
 * Makes a UUIDv7: 48 bits of Unix milliseconds, a 12-bit counter, 62 random bits. Ids of one process sort in the order they
 * were made, also within a millisecond and when the wall clock steps back.
 */
export const makeUuidV7 = (nowMillis: number = Date.now()): string => {
  if (nowMillis > lastMillis) {
    lastMillis = nowMillis
    counter = 0
  } else if (++counter > 0xfff) {
    lastMillis++
    counter = 0
  }
  if (used === random.length) {
    crypto.getRandomValues(random)
    used = 0
  }
  const from = used
  used += 8
  const time = lastMillis.toString(16).padStart(12, "0")
  const b = (index: number, and = 0xff, or = 0): string => hex[((random[from + index] ?? 0) & and) | or] ?? "00"
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-` +
    `${b(0, 0x3f, 0x80)}${b(1)}-${b(2)}${b(3)}${b(4)}${b(5)}${b(6)}${b(7)}`
}
