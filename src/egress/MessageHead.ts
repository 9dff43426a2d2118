/**
 * Parses and prints the heads of HTTP/1.1 requests and responses.
 *
 * Source: RFC 9112 (https://www.rfc-editor.org/rfc/rfc9112), sections 2.2, 5, 6.3 and 11.
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

const fieldLine = /^([\w!#$%&'*+.^`|~-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*?)[\t ]*$/

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

/** Reads a head. Returns `undefined` if the stream ends early, and a text that says what is wrong with an invalid head. */
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
  if (!/^[\t\x20-\x7e\x80-\xff]+$/.test(start)) return "the start line has a control character"
  const fields: Array<HeadField> = []
  for (const line of lines) {
    // Without a colon, with a space before it, continued, or with a lone CR or LF, or a NUL.
    const [, name, value] = fieldLine.exec(line) ?? []
    if (name === undefined || value === undefined) return "a header line is malformed"
    fields.push([name, value])
  }
  return { start, fields }
}

export const printHead = ({ fields, start }: MessageHead): Uint8Array =>
  toLatinBytes(`${start}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`)

export const valuesOf = (fields: ReadonlyArray<HeadField>, name: string): ReadonlyArray<string> =>
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

/** The fields that are for the other end, without those that frame the body. */
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
