/** Counts the UTF-8 bytes of a text without keeping them, and finds how much of it fits into a number of bytes. */
import { encodeUtf8Into } from "./bytes.ts"

let scratch: Uint8Array<ArrayBuffer> | undefined

/** End of the part of a text that fits, and its bytes. */
export interface Utf8Fit {
  readonly end: number
  readonly bytes: number
}

/**
 * The longest part of `text` between `from` and `to` (neither inside a pair) that has at most `room` bytes in UTF-8 and ends
 * between two characters. Half a surrogate pair counts as U+FFFD, three bytes, as it would be written.
 */
export const fitUtf8 = (text: string, from: number, to: number, room: number): Utf8Fit => {
  const buffer = scratch ??= new Uint8Array(65_536)
  let end = from
  let bytes = 0
  while (end < to && bytes < room) {
    const space = Math.min(room - bytes, buffer.length)
    // A UTF-16 unit has at least one byte, so at most `space` units fit. If the last of them is half a pair, it does
    // not fit either: it would take three bytes after at least `space - 1`.
    const piece = text.slice(end, Math.min(to, end + space))
    const { read, written } = encodeUtf8Into(piece, space === buffer.length ? buffer : buffer.subarray(0, space))
    if (read === 0) break
    end += read
    bytes += written
  }
  return { end, bytes }
}

/** Whether a byte is within a character, and not its first. */
export const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Length of the sequence that a byte begins; 0 if it begins none. */
export const sequenceLength = (byte: number): number =>
  byte < 0x80
    ? 1
    : byte >= 0xc2 && byte < 0xe0
    ? 2
    : byte >= 0xe0 && byte < 0xf0
    ? 3
    : byte >= 0xf0 && byte < 0xf5
    ? 4
    : 0

export const utf8Length = (text: string): number => fitUtf8(text, 0, text.length, Infinity).bytes
