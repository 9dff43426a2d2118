/**
 * Makes layers of a `Files` whose requests are appended to a journal and answered by a daemon.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assumeValidOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import type { ClientTimeouts } from "../branch/Client.ts"
import { requestDaemon } from "../branch/requestDaemon.ts"
import type { Journal } from "../journal/JournalService.ts"
import { Files } from "./Files.ts"
import { FileSystemBranch } from "./FileSystemBranch.ts"
import type { FilesCapabilities, FilesService } from "./FilesService.ts"

/** Options of {@link layer}. */
export interface DaemonFileSystemOptions extends ClientTimeouts {
  /** Capabilities of the daemons' leaves. Default: those of an unknown leaf. */
  readonly capabilities?: Partial<FilesCapabilities> | undefined
}

/** Makes the service of a client. */
export const make = (
  { capabilities, ...timeouts }: DaemonFileSystemOptions = {},
): Effect.Effect<FilesService, OptionError, Journal> =>
  Effect.map(requestDaemon(FileSystemBranch, timeouts), (service) => ({
    ...service,
    capabilities: { leaf: "client", containment: "verify", caseSensitive: true, ...capabilities },
  }))

/**
 * A file system whose requests are appended to the journal of the context, and answered by a `FileSystemDaemon` in another
 * process or on another machine. A request that no daemon takes within `acceptTimeout` fails with `Timeout`.
 *
 * @example
 * ```ts
 * import { DaemonFileSystem, FileSystemDaemon, Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const files = DaemonFileSystem.layer.pipe(
 *   Layer.merge(FileSystemDaemon.layer.pipe(Layer.provide(MemoryFileSystem.layer))),
 *   Layer.provide(MemoryJournal.layer),
 * )
 * const program = Files.write("a", "hello").pipe(Effect.andThen(Files.readText("a")))
 * console.log(await Effect.runPromise(Effect.provide(program, files))) // hello
 * ```
 */
export const layer: Layer.Layer<Files, never, Journal> = Layer.effect(
  Files,
  assumeValidOptions(make()),
)

/** {@link layer} with options. Fails with an `OptionError` for an invalid option. */
export const layerWith = (options: DaemonFileSystemOptions): Layer.Layer<Files, OptionError, Journal> =>
  Layer.effect(Files, make(options))
