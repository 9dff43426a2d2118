/** Converts bytes to text and back by an encoding with one character for each byte, for transfer as events. */
/** Label of the encoding: bytes above 0x7f become the characters from U+F780 on. */
export const byteEncoding = "x-user-defined"

export const bytesOfText = (text: string): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at) & 0xff
  return bytes
}

/** Decodes a text in {@link byteEncoding} by the command's own encoding; as UTF-8 if that is unknown. */
export const decodeByteText = (encoding: string | undefined, text: string): string => {
  const bytes = bytesOfText(text)
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
