import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/**
 * Runs `each` for all items, so many at a time; answers in their order. Not `Effect.forEach`: in Effect 4.1.0 it runs an
 * item twice when one ends while the next begins.
 */
export const atMost = <Item, A, E, R>(
  concurrency: number,
  items: Iterable<Item>,
  each: (item: Item) => Effect.Effect<A, E, R>,
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Stream.fromIterable(items).pipe(Stream.mapEffect(each, { concurrency }), Stream.runCollect)
