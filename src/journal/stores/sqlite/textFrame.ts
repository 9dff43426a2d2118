/**
 * The form in which a text file holds a body whose long texts are bytes: a line with its frame, the lengths of the texts
 * and their SHA-256, then the texts. Every other body is its canonical JSON.
 *
 * @module
 */
import { sha256 } from "../../../base/sha256.ts"
import { type LongBody, longBodyJson } from "../../LongBody.ts"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const mark = "#"
const newline = 0x0a

/** The line before the texts. */
export const formatTextHead = ({ frame, hashes, texts }: LongBody): string =>
  `${mark}${JSON.stringify({ frame, hashes, lengths: texts.map((text) => text.length) })}\n`

interface Head {
  readonly frame: ReadonlyArray<string>
  readonly hashes: ReadonlyArray<string>
  readonly lengths: ReadonlyArray<number>
}

const isHead = (u: unknown): u is Head =>
  typeof u === "object" && u !== null && "frame" in u && Array.isArray(u.frame) && "hashes" in u &&
  Array.isArray(u.hashes) && "lengths" in u && Array.isArray(u.lengths) &&
  u.frame.every((json) => typeof json === "string") && u.lengths.every((length) => Number.isSafeInteger(length)) &&
  u.frame.length === u.lengths.length + 1

const parseHead = (line: string): Head | undefined => {
  try {
    const head: unknown = JSON.parse(line)
    return isHead(head) ? head : undefined
  } catch {
    return undefined
  }
}

/**
 * The canonical JSON of a body as a file holds it; `undefined` if the bytes are no body, or a text has changed. A text
 * that a power failure has lost in part looks like any other.
 */
export const decodeStoredText = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] !== mark.charCodeAt(0)) return decoder.decode(bytes)
  let at = bytes.indexOf(newline) + 1
  const head = parseHead(decoder.decode(bytes.subarray(1, at)))
  if (head === undefined) return undefined
  const { frame, hashes, lengths } = head
  const texts = lengths.map((length) => bytes.subarray(at, at += length))
  const isWhole = at === bytes.length && texts.every((text, index) => sha256(text) === hashes[index])
  return isWhole ? longBodyJson({ frame, texts, hashes, length: at }) : undefined
}
