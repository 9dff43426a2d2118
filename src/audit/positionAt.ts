/**
 * From a time to a position.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { EpochMillis } from "../command/ShellEvent.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"

/**
 * The position after which entries were appended at a time or later: that of the last one before it. By halves, as times
 * nearly always rise with positions; where a clock was set back, one of the places that it may be.
 */
export const positionAt = (time: EpochMillis): Effect.Effect<Position, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    let high = (yield* journal.head).position
    // What was pruned came before.
    let low = Math.max(0, (yield* journal.stats).first - 1)
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const [entry] = yield* journal.read({ after: middle - 1, limit: 1 })
      if (entry !== undefined && entry.time < time) low = middle
      else high = middle - 1
    }
    return low
  })
