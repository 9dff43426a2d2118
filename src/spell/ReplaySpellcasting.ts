/**
 * Makes a layer of a `Spellcasting` that answers invocations from a journal, without side effects.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { JournalError } from "../journal/JournalError.ts"
import type { Journal } from "../journal/JournalService.ts"
import type { Spellcasting } from "./Spellcasting.ts"
import { spellcastingLayers } from "./spellcastingLayers.ts"

/**
 * Spells that are not cast again: an invocation gets the result that the journal of the context has for the same name and
 * arguments. An invocation that was not recorded fails with `Broken`.
 *
 * @example
 * ```ts
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { ReplaySpellcasting, Spellcasting } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const layer = ReplaySpellcasting.layer.pipe(Layer.provide(MemoryJournal.layer))
 * const fault = await Effect.runPromise(Effect.flip(Effect.provide(Spellcasting.cast("read_file", {}), layer)))
 * console.log(fault.message) // read_file: this request was not recorded
 * ```
 */
export const layer: Layer.Layer<Spellcasting, JournalError, Journal> = spellcastingLayers.replay
