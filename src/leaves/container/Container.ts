/** Keeps a container of podman or docker for leaves that share it: a shell and file systems. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { type OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import type { FilesService } from "../../files/FilesService.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { findHost } from "../../host/findHost.ts"
import { requireHost } from "../../host/requireHost.ts"
import { type ContainerFilesOptions, makeContainerFiles, resolveContainerFiles } from "./ContainerFilesOptions.ts"
import {
  type ContainerLeafOptions,
  sharedContainerOptionNames,
  type SharedContainerOptions,
} from "./ContainerOptions.ts"
import { makeContainerService, makeSharedContainer } from "./makeContainerService.ts"
import { makeFileServers } from "./makeFileServers.ts"
import { resolveContainerLeaf, resolveTarget } from "./resolveContainerOptions.ts"

/** A container that leaves share. */
export interface ContainerService {
  /** Makes a shell whose commands run in the container. */
  readonly shell: (options?: ContainerLeafOptions) => Effect.Effect<ShellService, OptionError, Scope.Scope>
  /** Makes the file system below a folder of the container. */
  readonly files: (options?: ContainerFilesOptions) => Effect.Effect<FilesService, OptionError>
}

const Base: Context.ServiceClass<Container, "@sluice/shell/Container", ContainerService> = Context.Service<
  Container,
  ContainerService
>()("@sluice/shell/Container")

/**
 * The service of a container, which `ContainerShell.layerOver` and `ContainerFileSystem.layerOver` share.
 *
 * @example
 * ```ts
 * import { Container, ContainerFileSystem, ContainerShell } from "@sluice/shell/container"
 * import { Layer } from "effect"
 *
 * const container = Container.layer({ image: "docker.io/library/node:24", limits: { processes: 256 } })
 * const inside = Layer.mergeAll(
 *   ContainerShell.layerOverWith({ cwd: "/work" }),
 *   ContainerFileSystem.layerOverWith({ rootPath: "/work" }),
 * ).pipe(Layer.provide(container))
 * console.log(Layer.isLayer(inside)) // true
 * ```
 */
export class Container extends Base {
  /**
   * Makes the service. A new container is made when a leaf needs it for the first time, made again when it has ended, and
   * removed with the scope. Fails with an `OptionError` for an invalid option.
   */
  static readonly make = (
    options: SharedContainerOptions,
  ): Effect.Effect<ContainerService, OptionError, Scope.Scope> => makeContainer("Container", options)

  /** {@link make} as a layer. */
  static readonly layer = (options: SharedContainerOptions): Layer.Layer<Container, OptionError> =>
    Layer.effect(Container, Container.make(options))
}

/** Makes the service; `where` is the function that was called. */
export const makeContainer = (
  where: string,
  options: SharedContainerOptions,
): Effect.Effect<ContainerService, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const target = yield* attemptOptions(() => {
      refuseUnknownOptions(where, options, sharedContainerOptionNames)
      return resolveTarget(where, options)
    })
    const host = yield* requireHost("container", "Deno, Bun or Node", findHost)
    const shared = yield* makeSharedContainer(host, target)
    const servers = yield* makeFileServers(host, target, shared)
    return {
      shell: (leaf = {}) =>
        Effect.flatMap(
          attemptOptions(() => resolveContainerLeaf("ContainerShell", leaf, target)),
          (settings) => makeContainerService(host, settings, shared),
        ),
      files: (leaf = {}) =>
        Effect.map(
          attemptOptions(() => resolveContainerFiles("ContainerFileSystem", leaf)),
          (settings) => makeContainerFiles(servers, target, settings),
        ),
    }
  })
