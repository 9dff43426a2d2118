/** Reads the entries of a journal as a stream, in order, one page at a time. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Entry } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService, ReadOptions } from "../journal/JournalService.ts"

/** Reads entries up to the end of the journal; `maxEntries` is the size of a page. */
export const readEntries = (
  journal: JournalService,
  { after: start = 0, filter, maxEntries = 64 }: ReadOptions,
): Stream.Stream<Entry, JournalError> =>
  Stream.paginate(start, (after) =>
    Effect.map(journal.read({ after, filter, maxEntries }), (entries) => {
      const next = entries.length < maxEntries ? undefined : entries.at(-1)?.position
      return [entries, Option.fromUndefinedOr(next)] as const
    }))

export const readEntriesToHead = (journal: JournalService, options: ReadOptions): Stream.Stream<Entry, JournalError> =>
  Stream.unwrap(
    Effect.map(
      journal.head,
      ({ position: head }) => Stream.takeWhile(readEntries(journal, options), ({ position }) => position <= head),
    ),
  )
