/**
 * Following entries that are in the memory of this process.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Entry, Position } from "../../Entry.ts"
import type { EntryList } from "./EntryList.ts"
import { closedError, type CloseGate } from "../../CloseGate.ts"
import type { JournalError } from "../../JournalError.ts"
import type { TailOptions } from "../../JournalService.ts"
import { validateNumbers } from "../../validateNumbers.ts"
import { batchBytes, batchRows } from "../../scanBatches.ts"
import { prunedError } from "../../TailReader.ts"
import type { Notifier } from "../../Notifier.ts"

type Some = Arr.NonEmptyReadonlyArray<Entry>

/** See `JournalService.tail`. `wakes` tells of every append, of every prune, and of the end. */
export const tailEntryList = (
  list: EntryList,
  wakes: Notifier,
  gate: CloseGate,
  { after = 0, filter }: TailOptions = {},
): Stream.Stream<Entry, JournalError> => {
  const pullFrom = (start: Position): Effect.Effect<Some, JournalError> => {
    let cursor = start
    // Of what was pruned before it began nothing was promised to who reads from the very beginning; from then on it is.
    let promised = start > 0
    const pull: Effect.Effect<Some, JournalError> = Effect.suspend(() => {
      if (!gate.isOpen) return Effect.fail(closedError)
      const seen = wakes.count
      const { first, head } = list
      if (first > cursor + 1 && promised) return Effect.fail(prunedError(first - 1))
      promised = true
      const found = list.scan({ after: cursor, filter, limit: batchRows, maxBytes: batchBytes })
      if (Arr.isArrayNonEmpty(found)) {
        cursor = Arr.lastNonEmpty(found).position
        return Effect.succeed(found)
      }
      cursor = Math.max(cursor, head.position)
      return Effect.andThen(wakes.beyond(seen), pull)
    })
    return pull
  }
  return Stream.fromChannel(
    Channel.fromTransform(() => validateNumbers({ after }, () => Effect.sync(() => pullFrom(after)))),
  )
}
