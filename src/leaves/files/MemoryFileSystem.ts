/**
 * Makes the leaf of the FileSystem branch that keeps files in memory.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import { type OptionError, refuseUnknownOptions, requireCount } from "../../base/OptionError.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { memory } from "../../kernel/fs/memory.ts"
import { VirtualFileSystem } from "../../kernel/fs/VirtualFileSystem.ts"
import { kernelBackend } from "./kernelBackend.ts"
import { leafFilesOptionNames, type LeafFilesOptions, leafFilesSettings } from "./LeafFilesOptions.ts"
import { countUse } from "./limitBackend.ts"
import { makeFiles } from "./makeFiles.ts"

/** Options of {@link layerWith}. */
export interface MemoryFileSystemOptions extends LeafFilesOptions {
  /** Bytes of all files together; beyond it a write is `DiskFull`. Default: 256 MiB. */
  readonly maxBytes?: number | undefined
  /** Number of files and folders; beyond it a write is `DiskFull`. Default: 262,144. */
  readonly maxFiles?: number | undefined
}

const optionNames: Readonly<Record<keyof MemoryFileSystemOptions, true>> = leafFilesOptionNames

/** Makes an empty file system in memory. */
export const make = (options: MemoryFileSystemOptions = {}): Effect.Effect<FilesService, OptionError> =>
  Effect.flatMap(Clock.clockWith(Effect.succeed), (clock) =>
    attemptOptions(() => {
      refuseUnknownOptions("MemoryFileSystem", options, optionNames)
      // The volume enforces the limits: it counts the pages of a file, and a replacement in addition to the replaced file.
      const { maxBytes = 256 * 1024 * 1024, maxFiles = 262_144, ...others } = options
      const volume = memory({
        maxBytes: requireCount("MemoryFileSystem", "maxBytes", maxBytes, { min: 0 }),
        maxFiles: requireCount("MemoryFileSystem", "maxFiles", maxFiles, { min: 0 }),
      })
      const now = () => BigInt(clock.currentTimeMillisUnsafe()) * 1_000_000n
      const fs = VirtualFileSystem.make({ mounts: { "/": volume }, now })
      const backend = kernelBackend(fs, "memory")
      const room = Effect.map(
        countUse(backend),
        ({ bytes, files }) => ({ bytes: Math.max(0, maxBytes - bytes), files: Math.max(0, maxFiles - files) }),
      )
      return makeFiles({ ...backend, room }, leafFilesSettings("MemoryFileSystem", others))
    }))

/**
 * An empty file system in memory.
 *
 * @example
 * ```ts
 * import { Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 *
 * const program = Files.write("a/b.txt", "hello").pipe(Effect.andThen(Files.stat("a")))
 * const folder = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(folder.isDirectory) // true
 * ```
 */
export const layer: Layer.Layer<Files> = Layer.effect(Files, assumeValidOptions(make()))

/** {@link layer} with options. Fails with an `OptionError` for an invalid option. */
export const layerWith = (options: MemoryFileSystemOptions): Layer.Layer<Files, OptionError> =>
  Layer.effect(Files, make(options))
