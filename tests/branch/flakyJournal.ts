/**
 * A journal that fails as it is told to.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { JournalError, type JournalService } from "@sluice/shell/journal"

export const unavailable = JournalError.because(
  { _tag: "Unavailable", code: "ECONNREFUSED" },
  "journal: nothing was appended: the server is down (ECONNREFUSED)",
)

export const full = JournalError.because(
  { _tag: "Full", code: "ENOSPC" },
  "journal: nothing was appended: the disk is full (ENOSPC)",
)

/** What a journal does: as it should, fail, write and say that it does not know, or nothing until its mood changes. */
export type Mood = "well" | "down" | "full" | "unsure" | "silent"

export interface FlakyJournal extends JournalService {
  mood: Mood
}

/** A journal with moods. Only appends have them; when it is down nothing can be followed either. */
export const flaky = (journal: JournalService): FlakyJournal => {
  let now: Mood = "well"
  const waiting: Array<() => void> = []
  const append: JournalService["append"] = (drafts, options) =>
    Effect.suspend(() => {
      switch (now) {
        case "well":
          return journal.append(drafts, options)
        case "down":
          return Effect.fail(unavailable)
        case "full":
          return Effect.fail(full)
        case "unsure":
          return Effect.flatMap(journal.append(drafts, options), () => Effect.fail(unavailable))
        case "silent":
          return Effect.andThen(
            Effect.callback<void>((resume) => void waiting.push(() => resume(Effect.void))),
            append(drafts, options),
          )
      }
    })
  return {
    ...journal,
    get mood() {
      return now
    },
    set mood(mood) {
      now = mood
      for (const resume of waiting.splice(0)) resume()
    },
    append,
    tail: (options) => Stream.suspend(() => now === "down" ? Stream.fail(unavailable) : journal.tail(options)),
  }
}
