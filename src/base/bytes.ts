/** Encodes text as UTF-8, joins and compares byte arrays. */
const encoder = new TextEncoder()

/** Encodes a text as UTF-8. A lone surrogate becomes U+FFFD. */
export const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

/** Encodes as much of a text as fits into `bytes`; returns the UTF-16 units read and the bytes written. */
export const encodeUtf8Into = (text: string, bytes: Uint8Array): TextEncoderEncodeIntoResult =>
  encoder.encodeInto(text, bytes)

/** No bytes. */
export const emptyBytes: Uint8Array<ArrayBuffer> = new Uint8Array(0)

/** A view of the same memory. */
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

/** Whether two byte arrays hold the same. */
export const isSameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

/**
 * Joins byte arrays into one. A single array is copied too: the result never shares memory with a part.
 *
 * @param length The sum of the parts' lengths, where the caller knows it already.
 */
export const concatBytes = (
  parts: ReadonlyArray<ArrayLike<number>>,
  length: number = parts.reduce((sum, part) => sum + part.length, 0),
): Uint8Array<ArrayBuffer> => {
  const joined = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}
