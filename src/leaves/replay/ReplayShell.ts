/**
 * Makes the replay leaf, which answers commands from the recordings of a journal.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { Journal, type JournalService } from "../../journal/JournalService.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { makeReplay } from "./makeReplay.ts"
import { readJournalRecordings } from "./readJournalRecordings.ts"
import type { ReplayOptions } from "./ReplayOptions.ts"

export type { ReplayOptions } from "./ReplayOptions.ts"
export type { ReplaySpeed } from "./ReplayClock.ts"
export { defaultKey, type ReplayKey, type ReplayKeyField } from "./ReplayKey.ts"

/**
 * Makes a Shell from the current contents of a journal; later entries are not played. Fails with an `OptionError` if `speed` is
 * a number that is not above 0 and finite.
 */
export const make = (
  journal: JournalService,
  options: ReplayOptions = {},
): Effect.Effect<ShellService, JournalError | OptionError> =>
  Effect.flatMap(
    readJournalRecordings(journal, options.maxRecordings ?? 100_000),
    (recordings) => attemptOptions(() => makeReplay(recordings, options)),
  )

/** {@link layer} with options. Fails with an `OptionError` for an invalid option. */
export const layerWith = (options: ReplayOptions): Layer.Layer<Shell, JournalError | OptionError, Journal> =>
  Layer.effect(Shell, Effect.flatMap(Journal, (journal) => make(journal, options)))

/**
 * A Shell that answers from what `JournaledShell` recorded in the journal of the context: the same chunks with their seq,
 * stream and text, at the same times after the start, and the same end, including a fault. Nothing is run.
 *
 * - Events have the id of the requested command. Their times are the recorded ones, moved to now; with a number for `speed`
 *   they are scaled.
 * - Output that was recorded in chunks can be requested whole, and vice versa; as bytes, text is UTF-8.
 * - Timeouts, an abort signal and a failing input end a replay as they would have ended the command. Stdin is read and
 *   discarded. The number of concurrent replays is not limited.
 * - A command that was not recorded fails with `Unknown` and code `EUNRECORDED` (not `NotFound`, which a program may
 *   handle); the message has the most similar recording.
 *
 * @example
 * ```ts
 * import { LocalShell, cmd, Shell } from "@sluice/shell"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { ReplayShell } from "@sluice/shell/testing"
 * import { Effect, Layer } from "effect"
 *
 * const recorded = Shell.run(cmd`echo ${"from the real one"}`).pipe(
 *   Effect.provide(JournaledShell.layer.pipe(Layer.provide(LocalShell.layer))),
 * )
 * const replayed = Shell.run(cmd`echo ${"from the real one"}`).pipe(Effect.provide(ReplayShell.layerWith({ speed: "max" })))
 *
 * const both = Effect.all([recorded, replayed]).pipe(Effect.provide(MemoryJournal.layer))
 * const [first, second] = await Effect.runPromise(both)
 * console.log(first.stdout === second.stdout && first.duration === second.duration) // true
 * ```
 */
export const layer: Layer.Layer<Shell, JournalError, Journal> = Layer.effect(
  Shell,
  Effect.flatMap(Journal, (journal) => assumeValidOptions(make(journal))),
)
