/** Cuts a stream of bytes into arrays of limited length. */
import * as Stream from "effect/Stream"

/** The same bytes in arrays of at most `max` bytes; none is empty. They share memory with those of the source. */
export const splitBytes = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  max: number,
): Stream.Stream<Uint8Array, E, R> =>
  Stream.flattenIterable(Stream.map(bytes, (whole) => {
    const parts: Array<Uint8Array> = []
    for (let at = 0; at < whole.length; at += max) parts.push(whole.subarray(at, at + max))
    return parts
  }))
