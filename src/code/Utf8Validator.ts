/**
 * Bytes that come in pieces, as long as they are UTF-8.
 *
 * Source: RFC 3629, section 4.
 *
 * @module
 */

/** The bytes that may follow the first one of a character: how many there are, and the range of the next one. */
const following = (byte: number): readonly [count: number, least: number, most: number] | undefined => {
  if (byte < 0x80) return [0, 0, 0]
  if (byte >= 0xc2 && byte <= 0xdf) return [1, 0x80, 0xbf]
  // Nothing in two bytes more that fits into fewer, no half of a surrogate pair, nothing above U+10FFFF.
  if (byte >= 0xe0 && byte <= 0xef) return [2, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf]
  if (byte >= 0xf0 && byte <= 0xf4) return [3, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf]
  return undefined
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** How many bytes, from the start, are whole characters: up to the first that is none, or is not whole. */
const wholeCharacters = (bytes: Uint8Array): number => {
  for (let at = 0; at < bytes.length;) {
    const [count, least, most] = following(bytes[at] ?? 0) ?? []
    const second = bytes[at + 1] ?? 0
    if (count === undefined || (count > 0 && !(second >= (least ?? 0) && second <= (most ?? 0)))) return at
    for (let more = 2; more <= count; more++) if (!isContinuation(bytes[at + more])) return at
    at += 1 + count
  }
  return bytes.length
}

/** How many bytes at the end are of a character that is not whole, in bytes that are well-formed up to there. */
const begunAtEnd = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]
    if (!isContinuation(byte)) return (following(byte ?? 0)?.[0] ?? 0) >= back ? back : 0
  }
  return 0
}

const concat = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

const nothing = new Uint8Array(0)

/** What a piece has that goes on as text. */
export interface TextPiece {
  /** Of this piece: all of its bytes, until there is one that is not text. */
  readonly bytes: Uint8Array
  /** Whole characters, the one with them that was begun before; one that is not whole waits for its rest. */
  readonly text: string
}

/** One stream of bytes, in pieces of any size: up to where it stops being text. */
export class Utf8Validator {
  /** Bytes seen, text or not. */
  bytes = 0
  /** Offset of the first byte that belongs to no character, counted from 0, once there is one. */
  invalidAt: number | undefined
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  /** Bytes of a character that is not whole yet. */
  #begun: Uint8Array = nothing

  /** Takes the next bytes. */
  push(piece: Uint8Array): TextPiece {
    const before = this.bytes
    this.bytes += piece.length
    if (this.invalidAt !== undefined) return { bytes: nothing, text: "" }
    const begun = this.#begun
    try {
      const text = this.#decoder.decode(piece, { stream: true })
      const last = piece.length < 3 ? concat(begun, piece) : piece
      this.#begun = last.slice(last.length - begunAtEnd(last))
      return { bytes: piece, text }
    } catch {
      // The decoder says that something is wrong, and not where.
      const all = concat(begun, piece)
      const end = wholeCharacters(all)
      this.invalidAt = before - begun.length + end
      return {
        bytes: piece.subarray(0, Math.max(0, end - begun.length)),
        text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(all.subarray(0, end)),
      }
    }
  }

  /** Nothing more will come: a character that has only begun is none. */
  end(): void {
    if (this.#begun.length > 0) this.invalidAt ??= this.bytes - this.#begun.length
  }
}
