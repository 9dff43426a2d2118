/**
 * What is said of an entry that cannot be read.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"

/** What the file has at a position is no entry. */
export const corrupt = (position: Position, what: string, exception?: unknown): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what, position },
    `journal: entry ${position} cannot be read: ${what}`,
    exception,
  )

/** SQLite cannot read the page on which an entry is. */
export const spoilt = (position: Position, exception: unknown): JournalError =>
  corrupt(position, "a page of the file is not what was written", exception)
