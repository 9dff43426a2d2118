/** Turns an iterable, async iterable or Web stream of text and bytes into an Effect stream of bytes. */
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "./bytes.ts"
import { isObject } from "./isObject.ts"

type Piece = Uint8Array | string

export const bytesOfPiece = (piece: Piece): Uint8Array => typeof piece === "string" ? encodeUtf8(piece) : piece

const isStream = (input: unknown): input is ReadableStream<Piece> => input instanceof ReadableStream
const isAsyncIterable = (input: unknown): input is AsyncIterable<Piece> =>
  isObject(input) && Symbol.asyncIterator in input
const isIterable = (input: unknown): input is Iterable<Piece> => isObject(input) && Symbol.iterator in input

/** Reads the pieces of an input as they arrive; `undefined` for a value that is neither a stream nor iterable. */
export const streamOfPieces = (input: unknown): Stream.Stream<Uint8Array, unknown> | undefined => {
  const pieces: Stream.Stream<Piece, unknown> | undefined = isStream(input)
    ? Stream.fromReadableStream({ evaluate: () => input, onError: (error: unknown) => error })
    : isAsyncIterable(input)
    ? Stream.fromAsyncIterable(input, (error: unknown) => error)
    : isIterable(input)
    ? Stream.fromIterable(input)
    : undefined
  return pieces && Stream.map(pieces, bytesOfPiece)
}
