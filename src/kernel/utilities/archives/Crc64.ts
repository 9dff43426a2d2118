/**
 * Computes the checksum of .xz files, in halves of 32 bits, because `bigint` is thirty times slower. Source: ECMA-182.
 */
const [low, high] = [new Int32Array(256), new Int32Array(256)]
for (let byte = 0; byte < 256; byte++) {
  let value = BigInt(byte)
  for (let bit = 0; bit < 8; bit++) value = (value & 1n) === 0n ? value >> 1n : value >> 1n ^ 0xc96c5795d7870f42n
  low[byte] = Number(BigInt.asIntN(32, value))
  high[byte] = Number(BigInt.asIntN(32, value >> 32n))
}

/** The checksum of the bytes so far. */
export class Crc64 {
  #low = -1
  #high = -1

  update(bytes: Uint8Array): void {
    let [lower, upper] = [this.#low, this.#high]
    for (let at = 0; at < bytes.length; at++) {
      const index = (lower ^ (bytes[at] ?? 0)) & 255
      lower = (lower >>> 8 | upper << 24) ^ (low[index] ?? 0)
      upper = upper >>> 8 ^ (high[index] ?? 0)
    }
    this.#low = lower
    this.#high = upper
  }

  get value(): bigint {
    return BigInt(~this.#high >>> 0) << 32n | BigInt(~this.#low >>> 0)
  }
}
