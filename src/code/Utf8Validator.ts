/**
 * Decodes a stream of bytes as UTF-8, piece by piece, up to the first byte that is not UTF-8, and reports the offset of
 * that byte.
 *
 * `TextDecoder` with `fatal` reports malformed input, but not its position, so the position is computed here.
 *
 * Source: RFC 3629, section 4.
 */
import { concatBytes, emptyBytes } from "../base/bytes.ts"
import { isContinuation } from "../base/utf8.ts"

/** Number of continuation bytes after a first byte, and the range of the first one. */
const continuations = (byte: number): readonly [count: number, min: number, max: number] | undefined => {
  if (byte < 0x80) return [0, 0, 0]
  if (byte >= 0xc2 && byte <= 0xdf) return [1, 0x80, 0xbf]
  // The bounds exclude overlong forms, surrogates and everything above U+10FFFF.
  if (byte >= 0xe0 && byte <= 0xef) return [2, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf]
  if (byte >= 0xf0 && byte <= 0xf4) return [3, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf]
  return undefined
}

const validPrefixLength = (bytes: Uint8Array): number => {
  for (let at = 0; at < bytes.length;) {
    const [count, min, max] = continuations(bytes[at] ?? 0) ?? []
    const second = bytes[at + 1] ?? 0
    if (count === undefined || (count > 0 && !(second >= (min ?? 0) && second <= (max ?? 0)))) return at
    for (let more = 2; more <= count; more++) if (!isContinuation(bytes[at + more])) return at
    at += 1 + count
  }
  return bytes.length
}

const incompleteTailLength = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]
    if (!isContinuation(byte)) return (continuations(byte ?? 0)?.[0] ?? 0) >= back ? back : 0
  }
  return 0
}

export interface ValidatedPiece {
  /** Bytes of an earlier piece that this one completes. */
  readonly completed: Uint8Array
  /** Whole characters of this piece; an incomplete one at its end is held for the next piece. */
  readonly bytes: Uint8Array
  readonly text: string
}

const nothing: ValidatedPiece = { completed: emptyBytes, bytes: emptyBytes, text: "" }

/**
 * Validates and decodes one stream of bytes, in pieces of any size. After the first invalid byte it returns nothing.
 */
export class Utf8Validator {
  bytes = 0
  invalidAt: number | undefined
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  #incomplete: Uint8Array = emptyBytes

  push(piece: Uint8Array): ValidatedPiece {
    const before = this.bytes
    this.bytes += piece.length
    if (this.invalidAt !== undefined) return nothing
    const held = this.#incomplete
    try {
      const text = this.#decoder.decode(piece, { stream: true })
      const end = piece.length < 3 ? concatBytes([held, piece]) : piece
      const left = incompleteTailLength(end)
      this.#incomplete = end.slice(end.length - left)
      return left > piece.length || text === ""
        ? nothing
        : { completed: held, bytes: piece.subarray(0, piece.length - left), text }
    } catch {
      const all = concatBytes([held, piece])
      const end = validPrefixLength(all)
      this.invalidAt = before - held.length + end
      return {
        completed: end === 0 ? emptyBytes : held,
        bytes: piece.subarray(0, Math.max(0, end - held.length)),
        text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(all.subarray(0, end)),
      }
    }
  }

  /** Ends the stream: an incomplete character at its end is invalid. */
  end(): void {
    if (this.#incomplete.length > 0) this.invalidAt ??= this.bytes - this.#incomplete.length
  }
}
