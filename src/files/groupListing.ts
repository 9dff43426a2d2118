/** Groups the entries of a folder into the events of a listing. */
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { FileEvent, FileListingEntry } from "./FileEvent.ts"

/** Entries of one event. */
const maxEntries = 1_000

/** One listing if there are few entries, otherwise chunks. */
export const groupListing = <E, R>(
  entries: Stream.Stream<FileListingEntry, E, R>,
  correlationId: string,
): Stream.Stream<FileEvent, E, R> => {
  const groups = entries.pipe(
    Stream.grouped(maxEntries),
    Stream.zipWithPreviousAndNext,
    Stream.map(([previous, group, next]): FileEvent =>
      Option.isNone(previous) && Option.isNone(next)
        ? { _tag: "FileListing", correlationId, entries: group }
        : { _tag: "FileListingChunk", correlationId, entries: group, isFinal: Option.isNone(next) }
    ),
  )
  return Stream.orElseIfEmpty(groups, () => Stream.succeed({ _tag: "FileListing", correlationId, entries: [] }))
}
