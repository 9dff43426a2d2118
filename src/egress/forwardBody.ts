/**
 * Forwards the body of an HTTP/1.1 message, exactly as long as its framing says; chunks are decoded and re-encoded.
 *
 * Source: RFC 9112, section 7.1 (https://www.rfc-editor.org/rfc/rfc9112#section-7.1).
 */
import { encodeUtf8 } from "../base/bytes.ts"
import type { BodyFraming } from "./MessageHead.ts"
import type { SocketStream } from "./SocketStream.ts"

/** Bytes of the line of a chunk's size, with its extensions, and of all trailers. */
const maxLineBytes = 4_096

/** Reads a line that ends in CRLF; `undefined` at the end of the stream, and for a line that is too long or has a bare LF. */
const readLine = async (from: SocketStream): Promise<string | undefined> => {
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

const forwardLength = async (from: SocketStream, to: SocketStream, length: number): Promise<boolean> => {
  for (let left = length; left > 0;) {
    const piece = await from.read()
    if (piece === undefined) return false
    const part = piece.subarray(0, left)
    from.unread(piece.subarray(part.length))
    if (!await to.write(part)) return false
    left -= part.length
  }
  return true
}

const forwardChunks = async (from: SocketStream, to: SocketStream): Promise<boolean> => {
  for (;;) {
    const [, size] = /^([\da-f]{1,12})[\t ]*(?:;.*)?$/i.exec(await readLine(from) ?? "") ?? []
    if (size === undefined) return false
    const length = Number.parseInt(size, 16)
    if (length === 0) break
    if (!await to.write(encodeUtf8(`${length.toString(16)}\r\n`))) return false
    if (!await forwardLength(from, to, length)) return false
    if (await readLine(from) !== "" || !await to.write(encodeUtf8("\r\n"))) return false
  }
  // Trailers are dropped: a field that frames or routes would be one of the message.
  for (let bytes = 0; bytes <= maxLineBytes;) {
    const line = await readLine(from)
    if (line === undefined) return false
    if (line === "") return await to.write(encodeUtf8("0\r\n\r\n"))
    bytes += line.length
  }
  return false
}

const forwardRest = async (from: SocketStream, to: SocketStream): Promise<boolean> => {
  for (;;) {
    const piece = await from.read()
    if (piece === undefined) return true
    if (!await to.write(piece)) return false
  }
}

/** Forwards a body; `false` if it is malformed, or ends early, or is not taken. */
export const forwardBody = (from: SocketStream, to: SocketStream, framing: BodyFraming): Promise<boolean> => {
  switch (framing._tag) {
    case "Length":
      return forwardLength(from, to, framing.length)
    case "Chunked":
      return forwardChunks(from, to)
    case "UntilEnd":
      return forwardRest(from, to)
  }
}
