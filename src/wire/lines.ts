/**
 * Lines of bytes that arrive cut anywhere.
 *
 * @module
 */

const LF = 0x0a
const CR = 0x0d
const nothing = new Uint8Array(0)

/** Cuts bytes into lines. It keeps at most one unfinished line, of at most as many bytes as it was made for. */
export interface LineReader {
  /**
   * Takes bytes, and gives the lines that they complete, without their ends. The views hold until the next call.
   * Answers `false` as soon as a line is too long; then nothing more may be pushed.
   */
  readonly push: (bytes: Uint8Array, onLine: (line: Uint8Array) => void) => boolean
  /** The bytes after the last line's end. */
  readonly rest: () => Uint8Array
}

/**
 * Makes a {@link LineReader}. `ends`: `"lf"` (a CR before it is left in the line, and is white space to JSON), or
 * `"any"` of CRLF, LF and CR, as event streams have it.
 */
export const lineReader = (ends: "lf" | "any", maxLineBytes: number): LineReader => {
  // The unfinished line: the first `held` bytes of a buffer that doubles, so that bytes that come one at a time cost
  // neither an object each nor a copy of the line each.
  let buffer: Uint8Array = nothing
  let held = 0
  // The line that ended last ended with a CR: an LF right after it belongs to that end.
  let afterCr = false

  const hold = (tail: Uint8Array): void => {
    const size = held + tail.length
    if (size > buffer.length) {
      const grown = new Uint8Array(Math.max(size, Math.min(buffer.length * 2, maxLineBytes), 1024))
      grown.set(buffer.subarray(0, held))
      buffer = grown
    }
    buffer.set(tail, held)
    held = size
  }

  const take = (tail: Uint8Array): Uint8Array => {
    if (held === 0) return tail
    hold(tail)
    const line = buffer.subarray(0, held)
    held = 0
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
      let cr = ends === "lf" ? bytes.length : find(bytes, CR, start)
      for (;;) {
        const end = Math.min(lf, cr)
        if (held + end - start > maxLineBytes) return false
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
      if (start < bytes.length) hold(bytes.subarray(start))
      return true
    },
    rest: () => take(nothing),
  }
}
