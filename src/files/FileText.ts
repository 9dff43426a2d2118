/**
 * Decodes a text file and encodes it again as it was: its encoding, byte order mark and line ends stay.
 *
 * @module
 */
import { concatBytes } from "../base/bytes.ts"
import { decodeLossless, encodeLossless } from "../base/surrogateEscape.ts"

/** A text file, decoded. */
export interface FileText {
  readonly text: string
  /** The line end of most of its lines. */
  readonly newline: "\n" | "\r\n"
  /** Encodes another text as this file is encoded. */
  readonly encode: (text: string) => Uint8Array
}

const marks = {
  utf8: Uint8Array.of(0xef, 0xbb, 0xbf),
  utf16le: Uint8Array.of(0xff, 0xfe),
  utf16be: Uint8Array.of(0xfe, 0xff),
}

const startsWith = (bytes: Uint8Array, mark: Uint8Array): boolean => mark.every((byte, index) => bytes[index] === byte)

const encodeUtf16 = (text: string, littleEndian: boolean): Uint8Array => {
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), littleEndian)
  return bytes
}

const newlineOf = (text: string): "\n" | "\r\n" => {
  const both = text.match(/\r\n/g)?.length ?? 0
  return both * 2 > (text.match(/\n/g)?.length ?? 0) ? "\r\n" : "\n"
}

/** Decodes a text file: UTF-16 with a byte order mark, else UTF-8, in which bytes that are not UTF-8 stay as they are. */
export const decodeFileText = (bytes: Uint8Array): FileText => {
  const isLittle = startsWith(bytes, marks.utf16le)
  if (isLittle || startsWith(bytes, marks.utf16be)) {
    const text = new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(bytes)
    const mark = isLittle ? marks.utf16le : marks.utf16be
    return { text, newline: newlineOf(text), encode: (text) => concatBytes([mark, encodeUtf16(text, isLittle)]) }
  }
  const hasMark = startsWith(bytes, marks.utf8)
  const text = decodeLossless(hasMark ? bytes.subarray(3) : bytes)
  const encode = (text: string): Uint8Array =>
    hasMark ? concatBytes([marks.utf8, encodeLossless(text)]) : encodeLossless(text)
  return { text, newline: newlineOf(text), encode }
}
