/** Computes the checksum of gzip and zip. Source: RFC 1952, section 8. */
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : value >>> 1 ^ 0xedb88320
  return value
})

/** The checksum of the bytes so far. */
export class Crc32 {
  #state = -1
  /** Number of bytes so far. */
  bytes = 0

  update(bytes: Uint8Array): void {
    let state = this.#state
    for (let at = 0; at < bytes.length; at++) state = state >>> 8 ^ (table[(state ^ (bytes[at] ?? 0)) & 255] ?? 0)
    this.#state = state
    this.bytes += bytes.length
  }

  get value(): number {
    return ~this.#state >>> 0
  }
}
