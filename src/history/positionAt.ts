/** Finds the journal position before the first entry that was appended at a time or later. */
import * as Effect from "effect/Effect"
import type { EpochMillis } from "../command/ShellEvent.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"

const pageSize = 512

/**
 * The position before the first entry that was appended at a time or later; the position of the head if there is none. Reads
 * entries in order: after a clock is set back, times do not increase with positions.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("sh", ["-c", "exit 3"], { commandId: "c1" }))
 *   const { requested } = yield* Audit.find("c1")
 *   return yield* Audit.positionAt(requested)
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(KernelShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const position = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(position) // 0
 * ```
 */
export const positionAt = (time: EpochMillis): Effect.Effect<Position, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    // Pruned entries are older.
    let after = Math.max(0, (yield* journal.stats).first - 1)
    for (;;) {
      const entries = yield* journal.read({ after, maxEntries: pageSize })
      const found = entries.find((entry) => entry.time >= time)
      if (found !== undefined) return found.position - 1
      const last = entries.at(-1)
      if (last === undefined) return after
      after = last.position
    }
  })
