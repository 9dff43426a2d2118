/**
 * Streams the changes of files and folders below a folder, on any file system.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { OptionError } from "../base/OptionError.ts"
import type { FileFault } from "./FileFault.ts"
import { Files } from "./Files.ts"
import type { FileWatchEvent } from "./FileWatchEvent.ts"
import type { FileWatchOptions } from "./FileWatchOptions.ts"
import { watchFiles } from "./watchFiles.ts"

export { FileChange, FileWatchEvent, FileWatchOverflow } from "./FileWatchEvent.ts"
export type { FileWatchOptions } from "./FileWatchOptions.ts"

/**
 * The changes below a folder, from the moment at which the stream is first pulled until it is closed.
 *
 * Changes of one file within a window are one event, and each event describes the state at the end of the window: a file
 * that was made and deleted within it has none. A change may be reported twice, and none is lost silently: `Overflow`
 * reports lost notifications. The system watches local folders, and a file system in memory its own files; elsewhere
 * listings are compared every `pollInterval`. If the folder itself is deleted, the stream fails with `NotFound`.
 *
 * @example
 * ```ts
 * import { Files, FileWatch, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect, Fiber, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const changes = FileWatch.watch("", { window: "20 millis" }).pipe(Stream.take(2), Stream.runCollect)
 *   const watching = yield* Effect.forkChild(changes, { startImmediately: true })
 *   yield* Effect.sleep("50 millis")
 *   yield* Files.write("src/a.ts", "")
 *   return yield* Fiber.join(watching)
 * })
 * const changes = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(changes.every(({ _tag }) => _tag === "Created")) // true
 * ```
 */
export const watch = (
  path: string,
  options: FileWatchOptions = {},
): Stream.Stream<FileWatchEvent, FileFault | OptionError, Files> =>
  Stream.unwrap(
    Effect.map(Files, (files) => files.watch?.(path, options) ?? watchFiles(files, path, options)),
  )
