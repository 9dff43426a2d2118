/**
 * Makes the daemon that answers the file requests of a journal on the file system of the context.
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
import { Files } from "./Files.ts"
import { FileSystemBranch } from "./FileSystemBranch.ts"
import { fileSystemLayers } from "./fileSystemLayers.ts"

/** Makes a daemon, which is shut down with its Scope. */
export const make = (
  options: DaemonBaseOptions = {},
): Effect.Effect<Daemon, OptionError, Files | Journal | Scope.Scope> =>
  Effect.flatMap(Files, (files) => serveRequests(FileSystemBranch, files, options))

/**
 * Runs a daemon for as long as the layer lives.
 *
 * @example
 * ```ts
 * import { DaemonFileSystem, Files, FileSystemDaemon, MemoryFileSystem } from "@sluice/shell/files"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * // Both sides in one process; with a journal in a file or a database, each may be on another machine.
 * const layer = DaemonFileSystem.layer.pipe(
 *   Layer.merge(FileSystemDaemon.layer.pipe(Layer.provide(MemoryFileSystem.layer))),
 *   Layer.provide(MemoryJournal.layer),
 * )
 * const program = Files.write("a", "hello").pipe(Effect.andThen(Files.readText("a")))
 * console.log(await Effect.runPromise(Effect.provide(program, layer))) // hello
 * ```
 */
export const layer: Layer.Layer<never, JournalError, Files | Journal> = fileSystemLayers.daemon

/** {@link layer} with options. Fails with an `OptionError` for an invalid option. */
export const layerWith: (
  options: DaemonBaseOptions,
) => Layer.Layer<never, JournalError | OptionError, Files | Journal> = fileSystemLayers.daemonWith
