/**
 * Makes a layer of a `Spellcasting` whose invocations are appended to a journal and answered by a daemon.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { OptionError } from "../base/OptionError.ts"
import type { ClientTimeouts } from "../branch/Client.ts"
import type { Journal } from "../journal/JournalService.ts"
import type { Spellcasting } from "./Spellcasting.ts"
import { spellcastingLayers } from "./spellcastingLayers.ts"

/**
 * Spells that a `SpellcastingDaemon` casts, in another process or on another machine. An invocation that no daemon takes
 * within `acceptTimeout` fails with `Timeout`.
 *
 * @example
 * ```ts
 * import { DaemonSpellcasting } from "@sluice/shell/spell"
 * import { Layer } from "effect"
 *
 * console.log(Layer.isLayer(DaemonSpellcasting.layer)) // true
 * ```
 */
export const layer: Layer.Layer<Spellcasting, never, Journal> = spellcastingLayers.client

/**
 * {@link layer} with options. Fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { DaemonSpellcasting, Spellcasting } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * // No daemon is there.
 * const layer = DaemonSpellcasting.layerWith({ acceptTimeout: "10 millis" }).pipe(Layer.provide(MemoryJournal.layer))
 * const fault = await Effect.runPromise(Effect.flip(Effect.provide(Spellcasting.cast("read_file", {}), layer)))
 * console.log(fault._tag === "SpellFault" && fault.faultKind) // Timeout
 * ```
 */
export const layerWith: (options: ClientTimeouts) => Layer.Layer<Spellcasting, OptionError, Journal> =
  spellcastingLayers.clientWith
