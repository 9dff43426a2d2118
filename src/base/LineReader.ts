/** Splits a stream of bytes, cut anywhere, into lines of bounded length. */
import { ByteBuffer } from "./ByteBuffer.ts"
import { emptyBytes } from "./bytes.ts"

const LF = 0x0a
const CR = 0x0d

/** Splits bytes into lines. Keeps at most one unfinished line in memory. */
export interface LineReader {
  /**
   * Takes bytes and calls `onLine` with each line that they complete, without its terminator. The views are valid until
   * the next call. Returns `false` as soon as a line is too long; after that nothing more may be pushed.
   */
  readonly push: (bytes: Uint8Array, onLine: (line: Uint8Array) => void) => boolean
  /** Takes the bytes after the last line terminator. */
  readonly rest: () => Uint8Array
}

/**
 * Makes a {@link LineReader}.
 *
 * @param terminators `"lf"` splits at LF alone and leaves a CR before it in the line (white space to JSON); `"any"`
 * splits at CRLF, LF and CR, as event streams do.
 */
export const makeLineReader = (terminators: "lf" | "any", maxLineBytes: number): LineReader => {
  const unfinished = new ByteBuffer(maxLineBytes)
  // The last line ended with a CR: an LF right after it belongs to the same terminator.
  let afterCr = false

  const take = (tail: Uint8Array): Uint8Array => {
    if (unfinished.size === 0) return tail
    unfinished.push(tail)
    const line = unfinished.bytes
    unfinished.clear()
    return line
  }

  const find = (bytes: Uint8Array, byte: number, from: number): number => {
    const at = bytes.indexOf(byte, from)
    return at < 0 ? bytes.length : at
  }

  return {
    push: (bytes, onLine) => {
      let start = 0
      if (bytes.length > 0 && afterCr) {
        if (bytes[0] === LF) start = 1
        afterCr = false
      }
      let lf = find(bytes, LF, start)
      let cr = terminators === "lf" ? bytes.length : find(bytes, CR, start)
      for (;;) {
        const end = Math.min(lf, cr)
        if (unfinished.size + end - start > maxLineBytes) return false
        if (end === bytes.length) break
        onLine(take(bytes.subarray(start, end)))
        start = end + 1
        if (end === cr) {
          if (start === bytes.length) afterCr = true
          else if (bytes[start] === LF) start++
        }
        if (lf < start) lf = find(bytes, LF, start)
        if (cr < start) cr = find(bytes, CR, start)
      }
      if (start < bytes.length) unfinished.push(bytes.subarray(start))
      return true
    },
    rest: () => take(emptyBytes),
  }
}
