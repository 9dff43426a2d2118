/** Bytes cut in every way, for the readers. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** Lengths of pieces, empty ones too. */
export const Sizes: Schema.$Array<Schema.Int> = Schema.Array(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
)

/**
 * Cuts bytes into pieces whose lengths are taken from `sizes` in turn (an empty list: one by one). Every piece is a
 * view of one buffer that is overwritten before the next, as a BYOB reader does it.
 */
export const cut = (bytes: Uint8Array, sizes: ReadonlyArray<number>): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    const shared = new Uint8Array(bytes.length)
    const turns = [...sizes, 1]
    let at = 0
    let turn = 0
    return Stream.unfold(undefined, () =>
      Effect.sync(() => {
        if (at >= bytes.length) return undefined
        const end = Math.min(bytes.length, at + (turns[turn++ % turns.length] ?? 1))
        const piece = shared.fill(0x7b).subarray(0, end - at)
        piece.set(bytes.subarray(at, end))
        at = end
        return [piece, undefined] as const
      }))
  })

/** Like {@link cut}, but all pieces come in one pull, each with bytes of its own. */
export const cutAtOnce = (bytes: Uint8Array, sizes: ReadonlyArray<number>): Stream.Stream<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  const turns = [...sizes, 1]
  for (let at = 0, turn = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + (turns[turn++ % turns.length] ?? 1))
    pieces.push(bytes.slice(at, end))
    at = end
  }
  return Stream.fromArray(pieces)
}
