/**
 * Bytes through a connection that carries text: an encoding in which each byte is a character of its own.
 *
 * Source: Encoding Standard, "x-user-defined" (https://encoding.spec.whatwg.org/#x-user-defined).
 *
 * @module
 */

/** The label of the encoding: bytes above 0x7f are the characters from U+F780 on. */
export const byteEncoding = "x-user-defined"

/** The bytes of a text in {@link byteEncoding}. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at) & 0xff
  return bytes
}

/** The same text as the command's own encoding has it; as UTF-8 where nobody knows that one. */
export const textIn = (encoding: string | undefined, text: string): string => {
  const bytes = bytesOf(text)
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
