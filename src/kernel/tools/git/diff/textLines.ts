/** Splits content to lines as binary strings, each with its newline, and joins them again. */
import { binaryToBytes, bytesToBinary } from "../../../binaryString.ts"

export const isBinaryContent = (bytes: Uint8Array): boolean => bytes.subarray(0, 8_000).includes(0)

export const linesOf = (bytes: Uint8Array): ReadonlyArray<string> => {
  const text = bytesToBinary(bytes)
  const lines: Array<string> = []
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf("\n", from)
    const end = newline < 0 ? text.length : newline + 1
    lines.push(text.slice(from, end))
    from = end
  }
  return lines
}

export const joinLines = (lines: ReadonlyArray<string>): Uint8Array => binaryToBytes(lines.join(""))
