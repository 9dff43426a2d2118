/**
 * Forwards the body of an HTTP/1.1 message, with exactly the length of its framing; chunks are decoded and re-encoded.
 *
 * Source: RFC 9112, section 7.1 (https://www.rfc-editor.org/rfc/rfc9112#section-7.1).
 */
import { encodeUtf8 } from "../base/bytes.ts"
import { type BodyFraming, maxLineBytes, parseChunkSize, readLine } from "../net/MessageHead.ts"
import type { SocketStream } from "../net/SocketStream.ts"

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
    const length = parseChunkSize(await readLine(from))
    if (length === undefined) return false
    if (length === 0) break
    if (!await to.write(encodeUtf8(`${length.toString(16)}\r\n`))) return false
    if (!await forwardLength(from, to, length)) return false
    if (await readLine(from) !== "" || !await to.write(encodeUtf8("\r\n"))) return false
  }
  // Trailers are dropped, because a field for framing or routing would be added to the message.
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

/** Forwards a body; `false` if it is malformed, ends early, or the receiver does not accept it. */
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
