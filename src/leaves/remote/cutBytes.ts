/** Cuts a stream of bytes into pieces of one size. */
import * as Stream from "effect/Stream"
import { ByteBuffer } from "../../base/ByteBuffer.ts"

/** Pieces of exactly `size` bytes; the last one is shorter, and empty if there are no bytes at all. */
export const cutBytes = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  size: number,
): Stream.Stream<Uint8Array<ArrayBuffer>, E> =>
  Stream.suspend(() => {
    const buffer = new ByteBuffer(size)
    let isEmpty = true
    const take = (): Uint8Array<ArrayBuffer> => {
      isEmpty = false
      const piece = buffer.bytes.slice()
      buffer.clear()
      return piece
    }
    const cut = (piece: Uint8Array): ReadonlyArray<Uint8Array<ArrayBuffer>> => {
      const pieces: Array<Uint8Array<ArrayBuffer>> = []
      for (let at = 0; at < piece.length;) {
        const part = piece.subarray(at, at + size - buffer.size)
        buffer.push(part)
        at += part.length
        if (buffer.size === size) pieces.push(take())
      }
      return pieces
    }
    const rest = Stream.suspend(() => buffer.size > 0 || isEmpty ? Stream.succeed(take()) : Stream.empty)
    return Stream.concat(Stream.flattenIterable(Stream.map(bytes, cut)), rest)
  })
