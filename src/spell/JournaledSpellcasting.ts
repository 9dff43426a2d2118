/**
 * Wraps the `Spellcasting` of the context so that every invocation and its result are in a journal.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { Journal } from "../journal/JournalService.ts"
import type { Spellcasting } from "./Spellcasting.ts"
import { spellcastingLayers } from "./spellcastingLayers.ts"

/**
 * The spells of the context, with each invocation appended to the journal of the context before it is cast, and its result
 * before it is seen.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { JournaledSpellcasting, Spellbook, Spellcasting, writeFile } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const spells = Spellcasting.layer(Spellbook.make(writeFile)).pipe(Layer.provide(MemoryFileSystem.layer))
 * const layer = JournaledSpellcasting.layer.pipe(Layer.provide(spells), Layer.provideMerge(MemoryJournal.layer))
 * const program = Spellcasting.cast("write_file", { path: "a", content: "x" }).pipe(Effect.andThen(Journal.read()))
 * const entries = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(entries.at(0)?.tag, entries.at(-1)?.tag) // SpellInvocation SpellResult
 * ```
 */
export const layer: Layer.Layer<Spellcasting, never, Spellcasting | Journal> = spellcastingLayers.journaled
