/**
 * Streams the entries of an {@link EntryList}, then new ones.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { closedError, type CloseGate } from "../../CloseGate.ts"
import type { Entry, Position } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { TailOptions } from "../../JournalService.ts"
import type { Notifier } from "../../Notifier.ts"
import { batchBytes, batchRows } from "../../scanBatches.ts"
import { prunedError } from "../../TailReader.ts"
import { validateNumbers } from "../../validateNumbers.ts"
import type { EntryList } from "./EntryList.ts"

type Entries = Arr.NonEmptyReadonlyArray<Entry>

/** See `JournalService.tail`. `notifier` reports each append, each prune, and the close. */
export const tailEntryList = (
  list: EntryList,
  notifier: Notifier,
  gate: CloseGate,
  { after = 0, filter }: TailOptions = {},
): Stream.Stream<Entry, JournalError> => {
  const pullFrom = (start: Position): Effect.Effect<Entries, JournalError> => {
    let cursor = start
    // A tail from 0 skips what was pruned before it started; from then on a pruned entry is an error.
    let failsOnPruned = start > 0
    const pull: Effect.Effect<Entries, JournalError> = Effect.suspend(() => {
      if (!gate.isOpen) return Effect.fail(closedError)
      const seen = notifier.count
      const { first, head } = list
      if (first > cursor + 1 && failsOnPruned) return Effect.fail(prunedError(first - 1))
      failsOnPruned = true
      const found = list.scan({ after: cursor, filter, limit: batchRows, maxBytes: batchBytes })
      if (Arr.isArrayNonEmpty(found)) {
        cursor = Arr.lastNonEmpty(found).position
        return Effect.succeed(found)
      }
      cursor = Math.max(cursor, head.position)
      return Effect.andThen(notifier.waitBeyond(seen), pull)
    })
    return pull
  }
  return Stream.fromChannel(
    Channel.fromTransform(() => validateNumbers({ after }, () => Effect.sync(() => pullFrom(after)))),
  )
}
