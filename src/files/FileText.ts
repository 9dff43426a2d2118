/** Decodes a text file and encodes it again with the same encoding, byte order mark and line ends. */
import { concatBytes, emptyBytes, viewOf } from "../base/bytes.ts"
import { decodeLossless, encodeLossless } from "../base/surrogateEscape.ts"

export interface FileText {
  /** Its text after the byte order mark. */
  readonly text: string
  /** Its byte order mark, as text; `""` where it has none. */
  readonly mark: string
  /** The line end of most of its lines. */
  readonly newline: "\n" | "\r\n"
  /** Encodes a whole text, with its mark, as this file is encoded. */
  readonly encode: (text: string) => Uint8Array
}

const mark = "\ufeff"

/** Number of UTF-16 units that one call converts to text, as its arguments. */
const unitsAtOnce = 8_192

const startsWith = (bytes: Uint8Array, ...wanted: ReadonlyArray<number>): boolean =>
  wanted.every((byte, index) => bytes[index] === byte)

/** Decodes UTF-16 unit by unit, because `TextDecoder` replaces lone surrogates, which would be lost. */
const decodeUtf16 = (bytes: Uint8Array, littleEndian: boolean): string => {
  const view = viewOf(bytes)
  let text = ""
  for (let from = 0; from < bytes.length - 1; from += unitsAtOnce * 2) {
    const count = Math.min(unitsAtOnce, Math.floor((bytes.length - from) / 2))
    text += String.fromCharCode(
      ...Array.from({ length: count }, (_, index) => view.getUint16(from + index * 2, littleEndian)),
    )
  }
  return text
}

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

const fileText = (whole: string, encode: (text: string) => Uint8Array): FileText => {
  const text = whole.startsWith(mark) ? whole.slice(1) : whole
  return { text, mark: whole.slice(0, whole.length - text.length), newline: newlineOf(text), encode }
}

/** Decodes a text file: UTF-16 with a byte order mark, else UTF-8, which preserves invalid bytes. */
export const decodeFileText = (bytes: Uint8Array): FileText => {
  const isLittle = startsWith(bytes, 0xff, 0xfe)
  if (!isLittle && !startsWith(bytes, 0xfe, 0xff)) return fileText(decodeLossless(bytes), encodeLossless)
  // Half a unit at the end is preserved.
  const half = bytes.length % 2 === 0 ? emptyBytes : bytes.slice(-1)
  return fileText(decodeUtf16(bytes, isLittle), (text) => concatBytes([encodeUtf16(text, isLittle), half]))
}
