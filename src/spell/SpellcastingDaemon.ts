/**
 * Makes the daemon that answers the invocations of a journal with the spells of the context.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { OptionError } from "../base/OptionError.ts"
import type { Daemon } from "../branch/Daemon.ts"
import type { DaemonBaseOptions } from "../branch/DaemonOptions.ts"
import { serveRequests } from "../branch/serveRequests.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { Journal } from "../journal/JournalService.ts"
import { Spellcasting } from "./Spellcasting.ts"
import { SpellcastingBranch } from "./SpellcastingBranch.ts"
import { spellcastingLayers } from "./spellcastingLayers.ts"

/**
 * Makes a daemon, which is shut down with its Scope.
 *
 * @example
 * ```ts
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Spellbook, Spellcasting, SpellcastingDaemon } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.flatMap(SpellcastingDaemon.make(), (daemon) => daemon.start)
 * const spells = Spellcasting.layer(Spellbook.make())
 * await Effect.runPromise(Effect.scoped(Effect.provide(program, Layer.merge(spells, MemoryJournal.layer))))
 * ```
 */
export const make = (
  options: DaemonBaseOptions = {},
): Effect.Effect<Daemon, OptionError, Spellcasting | Journal | Scope.Scope> =>
  Effect.flatMap(Spellcasting, (spells) => serveRequests(SpellcastingBranch, spells, options))

/**
 * Runs a daemon for as long as the layer lives.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { DaemonSpellcasting, Spellbook, Spellcasting, SpellcastingDaemon, writeFile } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * // Both sides in one process; with a journal in a file or a database, each may be on another machine.
 * const spells = Spellcasting.layer(Spellbook.make(writeFile)).pipe(Layer.provide(MemoryFileSystem.layer))
 * const layer = DaemonSpellcasting.layer.pipe(
 *   Layer.merge(SpellcastingDaemon.layer.pipe(Layer.provide(spells))),
 *   Layer.provide(MemoryJournal.layer),
 * )
 * const program = Spellcasting.cast("write_file", { path: "a.txt", content: "hello" })
 * const result = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(JSON.stringify(result).includes('"bytesWritten":5')) // true
 * ```
 */
export const layer: Layer.Layer<never, JournalError, Spellcasting | Journal> = spellcastingLayers.daemon

/**
 * {@link layer} with options. Fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts
 * import { SpellcastingDaemon } from "@sluice/shell/spell"
 * import { Layer } from "effect"
 *
 * console.log(Layer.isLayer(SpellcastingDaemon.layerWith({ maxConcurrency: 8 }))) // true
 * ```
 */
export const layerWith: (
  options: DaemonBaseOptions,
) => Layer.Layer<never, JournalError | OptionError, Spellcasting | Journal> = spellcastingLayers.daemonWith
