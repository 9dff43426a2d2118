/**
 * Makes the leaf of the FileSystem branch over the files of a container of podman or docker.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import { type OptionError, pickOptions, refuseUnknownOptions } from "../../base/OptionError.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { Container, makeContainer } from "./Container.ts"
import { containerFilesOptionNames, type ContainerFilesOptions } from "./ContainerFilesOptions.ts"
import { sharedContainerOptionNames, type SharedContainerOptions } from "./ContainerOptions.ts"

export type { ContainerFilesOptions } from "./ContainerFilesOptions.ts"

/**
 * Options of the files of a container that no other leaf shares. One of `image`, `rootfs` and `container` is required.
 */
export interface ContainerFileSystemOptions extends SharedContainerOptions, ContainerFilesOptions {}

/**
 * Makes the files of a container: of one that exists, or of a new one, which is removed with the scope.
 *
 * @example
 * ```ts
 * import { ContainerFileSystem } from "@sluice/shell/container"
 * import { Effect } from "effect"
 *
 * const files = ContainerFileSystem.make({ container: "web", rootPath: "srv" })
 * const error = await Effect.runPromise(Effect.flip(Effect.scoped(files)))
 * console.log(error._tag === "OptionError" && error.option) // rootPath
 * ```
 */
export const make = (
  options: ContainerFileSystemOptions,
): Effect.Effect<FilesService, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const where = "ContainerFileSystem"
    yield* attemptOptions(() =>
      refuseUnknownOptions(where, options, { ...sharedContainerOptionNames, ...containerFilesOptionNames })
    )
    const { files } = yield* makeContainer(
      where,
      pickOptions<SharedContainerOptions>(options, sharedContainerOptionNames),
    )
    return yield* files(pickOptions<ContainerFilesOptions>(options, containerFilesOptionNames))
  })

/**
 * The files of a container below one folder, as a layer: {@link make}.
 *
 * - A file is written under a temporary name next to its path and moved there in one step; other readers see the old
 *   file or the new one.
 * - No path leads out of the root, also not by links, and not when a process in the container swaps folders meanwhile.
 * - Names that are not UTF-8 have no path, and are not listed.
 * - An engine or a container that is missing is the fault of a request: `IoError`, code `EENGINE`.
 *
 * @example
 * ```ts
 * import { Files } from "@sluice/shell/files"
 * import { ContainerFileSystem } from "@sluice/shell/container"
 * import { Effect } from "effect"
 *
 * const files = ContainerFileSystem.layer({ container: "web", rootPath: "/srv" })
 * const config = Files.readText("config.json").pipe(Effect.provide(files))
 * console.log(Effect.isEffect(config)) // true
 * ```
 */
export const layer = (options: ContainerFileSystemOptions): Layer.Layer<Files, OptionError> =>
  Layer.effect(Files, make(options))

/**
 * The files of a container that they share with other leaves: see {@link Container}.
 *
 * @example
 * ```ts
 * import { Container, ContainerFileSystem } from "@sluice/shell/container"
 * import { Layer } from "effect"
 *
 * const files = ContainerFileSystem.layerOverWith({ rootPath: "/srv" }).pipe(
 *   Layer.provide(Container.layer({ container: "web" })),
 * )
 * console.log(Layer.isLayer(files)) // true
 * ```
 */
export const layerOverWith = (options: ContainerFilesOptions): Layer.Layer<Files, OptionError, Container> =>
  Layer.effect(Files, makeOver(options))

const makeOver = (options?: ContainerFilesOptions): Effect.Effect<FilesService, OptionError, Container> =>
  Effect.flatMap(Container, (container) => container.files(options))

/**
 * {@link layerOverWith} without options.
 *
 * @example
 * ```ts
 * import { ContainerFileSystem } from "@sluice/shell/container"
 * import { Layer } from "effect"
 *
 * console.log(Layer.isLayer(ContainerFileSystem.layerOver)) // true
 * ```
 */
export const layerOver: Layer.Layer<Files, never, Container> =
  /* @__PURE__ */ (() => Layer.effect(Files, assumeValidOptions(makeOver())))()
