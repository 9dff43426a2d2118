/**
 * Parses and prints the heads of HTTP/1.1 requests and responses.
 *
 * Source: RFC 9112 (https://www.rfc-editor.org/rfc/rfc9112), sections 2.2, 5, 6.3, 7.1 and 11.
 */
import type { SocketStream } from "./SocketStream.ts"

/** A field of a head. Values are bytes as ISO 8859-1. */
export type HeadField = readonly [name: string, value: string]

export interface MessageHead {
  readonly start: string
  readonly fields: ReadonlyArray<HeadField>
}

export type BodyFraming =
  | { readonly _tag: "Length"; readonly length: number }
  | { readonly _tag: "Chunked" }
  | { readonly _tag: "UntilEnd" }

const isName = /^[\w!#$%&'*+.^`|~-]+$/
const isText = /^[\t\x20-\x7e\x80-\xff]*$/

/** Strips blanks from both ends by index: a regular expression would take quadratic time. */
const stripBlanks = (text: string): string => {
  const isBlank = (at: number): boolean => text[at] === " " || text[at] === "\t"
  let [start, end] = [0, text.length]
  while (start < end && isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return text.slice(start, end)
}

const fromBytes = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

export const toLatinBytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

/** Index after the first empty line, or -1. */
const endOfHead = (bytes: Uint8Array, from: number): number => {
  for (let at = from; at + 3 < bytes.length; at++) {
    if (bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at + 4
  }
  return -1
}

/**
 * Reads a head. Returns `undefined` if the stream ends early, and a text that describes the problem of an invalid head.
 */
export const readHead = async (stream: SocketStream, maxBytes: number): Promise<MessageHead | string | undefined> => {
  const buffer = new Uint8Array(maxBytes)
  let size = 0
  for (;;) {
    const piece = await stream.read()
    if (piece === undefined) return undefined
    const taken = piece.subarray(0, maxBytes - size)
    buffer.set(taken, size)
    const end = endOfHead(buffer.subarray(0, size + taken.length), Math.max(0, size - 3))
    if (end >= 0) {
      stream.unread(piece.subarray(end - size))
      return parseHead(fromBytes(buffer.subarray(0, end - 4)))
    }
    size += taken.length
    if (size === maxBytes) return `the head is longer than ${maxBytes} bytes`
  }
}

export const parseHead = (text: string): MessageHead | string => {
  const [start = "", ...lines] = text.split("\r\n")
  if (start === "" || !isText.test(start)) return "the start line has a control character"
  const fields: Array<HeadField> = []
  for (const line of lines) {
    // Without a colon, with a space before it, continued, or with a lone CR or LF, or a NUL.
    const colon = line.indexOf(":")
    const [name, value] = [line.slice(0, Math.max(0, colon)), line.slice(colon + 1)]
    if (!isName.test(name) || !isText.test(value)) return "a header line is malformed"
    fields.push([name, stripBlanks(value)])
  }
  return { start, fields }
}

export const printHead = ({ fields, start }: MessageHead): Uint8Array =>
  toLatinBytes(`${start}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`)

const valuesOf = (fields: ReadonlyArray<HeadField>, name: string): ReadonlyArray<string> =>
  fields.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)

/** Fields of one connection, which a proxy does not pass on. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
])

/** The end-to-end fields, without those that frame the body. */
export const endToEnd = (fields: ReadonlyArray<HeadField>): ReadonlyArray<HeadField> => {
  const named = new Set(
    valuesOf(fields, "connection").flatMap((value) => value.split(",").map((each) => each.trim().toLowerCase())),
  )
  const framing = ["content-length", "transfer-encoding"]
  return fields.filter(([name]) => {
    const lower = name.toLowerCase()
    return !hopByHop.has(lower) && !named.has(lower) && !framing.includes(lower)
  })
}

/** Framing of a message's body: `otherwise` if no field names one, a text if the fields are ambiguous. */
export const framingOf = (fields: ReadonlyArray<HeadField>, otherwise: BodyFraming): BodyFraming | string => {
  const lengths = valuesOf(fields, "content-length")
  const codings = valuesOf(fields, "transfer-encoding")
  if (codings.length > 0) {
    if (lengths.length > 0) return "it has both Content-Length and Transfer-Encoding"
    return codings.length === 1 && codings[0]?.toLowerCase() === "chunked"
      ? { _tag: "Chunked" }
      : "its Transfer-Encoding is not chunked"
  }
  const [length] = lengths
  if (length === undefined) return otherwise
  return lengths.length === 1 && /^\d{1,15}$/.test(length)
    ? { _tag: "Length", length: Number(length) }
    : "its Content-Length is not one number"
}

export const framingFields = (framing: BodyFraming): ReadonlyArray<HeadField> => {
  if (framing._tag === "Chunked") return [["Transfer-Encoding", "chunked"]]
  return framing._tag === "Length" ? [["Content-Length", String(framing.length)]] : []
}

/** Bytes of the line of a chunk's size, with its extensions, and of all trailers. */
export const maxLineBytes = 4_096

/** Reads a line that ends in CRLF; `undefined` at the end of the stream, and for a line that is too long or has a bare LF. */
export const readLine = async (from: SocketStream): Promise<string | undefined> => {
  let line = ""
  for (;;) {
    const piece = await from.read()
    if (piece === undefined) return undefined
    const at = piece.indexOf(10)
    const part = at < 0 ? piece : piece.subarray(0, at)
    for (const byte of part) line += String.fromCharCode(byte)
    if (line.length > maxLineBytes) return undefined
    if (at < 0) continue
    from.unread(piece.subarray(at + 1))
    return line.endsWith("\r") && line.indexOf("\r") === line.length - 1 ? line.slice(0, -1) : undefined
  }
}

/** The size in the first line of a chunk; `undefined` if it has none. */
export const parseChunkSize = (line: string | undefined): number | undefined => {
  const [, size] = /^([\da-f]{1,12})[\t ]*(?:;.*)?$/i.exec(line ?? "") ?? []
  return size === undefined ? undefined : Number.parseInt(size, 16)
}
