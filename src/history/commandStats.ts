/** Counts the commands of a journal by outcome and by program. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { CommandCounter, type CommandStats } from "./CommandCounter.ts"
import { readMilestones } from "./unfinishedCommands.ts"

/** Options of {@link commandStats}. */
export interface CommandStatsOptions {
  /** Number of programs in the result. Default: 10. */
  readonly programs?: number | undefined
}

/**
 * Counts the commands of a journal by outcome and by program. Reads all requests and ends, no output.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("sh", ["-c", "exit 3"]))
 *   return yield* Audit.stats()
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const { outcomes, programs } = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(outcomes.get("exit 3"), programs[0]?.program, programs[0]?.failed) // 1 sh 1
 * ```
 */
export const commandStats = (
  options: CommandStatsOptions = {},
): Effect.Effect<CommandStats, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const counter = new CommandCounter()
    yield* Stream.runForEach(readMilestones(journal), (entry) => Effect.sync(() => counter.take(entry)))
    return counter.stats(options.programs ?? 10)
  })
