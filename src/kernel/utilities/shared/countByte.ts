/** Counts how often a byte, such as a line terminator, occurs in a range of bytes. */
export const countByte = (bytes: Uint8Array, byte: number, from = 0, to: number = bytes.length): number => {
  let count = 0
  for (let at = bytes.indexOf(byte, from); at >= 0 && at < to; at = bytes.indexOf(byte, at + 1)) count++
  return count
}
