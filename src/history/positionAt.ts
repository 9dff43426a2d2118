/**
 * Finds the journal position of a time.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { EpochMillis } from "../command/ShellEvent.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"

/** Entries in one read. */
const pageSize = 512

/**
 * The position before the first entry that was appended at a time or later; the position of the head if there is none.
 * Reads entries in order: after a clock was set back, times do not rise with positions.
 *
 * @stability stable
 */
export const positionAt = (time: EpochMillis): Effect.Effect<Position, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    // Pruned entries are older.
    let after = Math.max(0, (yield* journal.stats).first - 1)
    for (;;) {
      const entries = yield* journal.read({ after, limit: pageSize })
      const found = entries.find((entry) => entry.time >= time)
      if (found !== undefined) return found.position - 1
      const last = entries.at(-1)
      if (last === undefined) return after
      after = last.position
    }
  })
