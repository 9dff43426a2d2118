/**
 * The form in which a text file holds a body whose long texts are bytes: a line with its frame and the lengths of the
 * texts, then the texts. Every other body is its canonical JSON.
 *
 * @module
 */
import { longBodyJson } from "../../LongBody.ts"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const mark = "#"
const newline = 0x0a

/** The line before the texts. */
export const formatTextHead = (frame: ReadonlyArray<string>, texts: ReadonlyArray<Uint8Array>): string =>
  `${mark}${JSON.stringify({ frame, lengths: texts.map((text) => text.length) })}\n`

interface Head {
  readonly frame: ReadonlyArray<string>
  readonly lengths: ReadonlyArray<number>
}

const isHead = (u: unknown): u is Head =>
  typeof u === "object" && u !== null && "frame" in u && Array.isArray(u.frame) && "lengths" in u &&
  Array.isArray(u.lengths) && u.frame.every((json) => typeof json === "string") &&
  u.lengths.every((length) => Number.isSafeInteger(length) && length >= 0) && u.frame.length === u.lengths.length + 1

const parseHead = (line: string): Head | undefined => {
  try {
    const head: unknown = JSON.parse(line)
    return isHead(head) ? head : undefined
  } catch {
    return undefined
  }
}

/** The canonical JSON of a body as a file holds it; `undefined` if the bytes are no body. */
export const decodeStoredText = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] !== mark.charCodeAt(0)) return decoder.decode(bytes)
  let at = bytes.indexOf(newline) + 1
  const head = parseHead(decoder.decode(bytes.subarray(1, at)))
  if (head === undefined) return undefined
  const texts = head.lengths.map((length) => bytes.subarray(at, at += length))
  return at === bytes.length ? longBodyJson({ frame: head.frame, texts, length: bytes.length }) : undefined
}
