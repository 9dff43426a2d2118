/**
 * Wraps the file system of the context so that every operation is in a journal.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { Journal } from "../journal/JournalService.ts"
import type { Files } from "./Files.ts"
import { fileSystemLayers } from "./fileSystemLayers.ts"

/**
 * The file system of the context, with each request and its answer appended to the journal of the context.
 *
 * @example
 * ```ts
 * import { Files, JournaledFileSystem, MemoryFileSystem } from "@sluice/shell/files"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const layer = JournaledFileSystem.layer.pipe(Layer.provide(MemoryFileSystem.layer), Layer.provideMerge(MemoryJournal.layer))
 * const program = Files.write("a", "hello").pipe(Effect.andThen(Journal.read({ filter: { branch: "filesystem" } })))
 * const entries = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(entries.map(({ tag }) => tag).join()) // FileWrite,LeaseTaken,FileWritten
 * ```
 */
export const layer: Layer.Layer<Files, never, Files | Journal> = fileSystemLayers.journaled
