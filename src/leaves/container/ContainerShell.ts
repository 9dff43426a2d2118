/**
 * Makes the leaf that runs commands in containers of podman or docker.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { findHost } from "../../host/findHost.ts"
import { requireHost } from "../../host/requireHost.ts"
import { Container } from "./Container.ts"
import type { ContainerLeafOptions, ContainerShellOptions } from "./ContainerOptions.ts"
import { makeContainerService } from "./makeContainerService.ts"
import { resolveContainerShell } from "./resolveContainerOptions.ts"

export type { ContainerLeafOptions, ContainerShellOptions } from "./ContainerOptions.ts"

/**
 * Makes the leaf as a service. Closing the scope ends its commands and removes its containers. Fails with an `OptionError` for
 * an invalid option; an engine or an image that is missing is the fault of a command.
 *
 * @example
 * ```ts
 * import { ContainerShell } from "@sluice/shell/container"
 * import { Effect } from "effect"
 *
 * const both = ContainerShell.make({ image: "docker.io/library/node:24", container: "web" })
 * const error = await Effect.runPromise(Effect.flip(Effect.scoped(both)))
 * console.log(error._tag === "OptionError" && error.option) // image
 * ```
 */
export const make = (options: ContainerShellOptions): Effect.Effect<ShellService, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* attemptOptions(() => resolveContainerShell(options))
    const host = yield* requireHost("leaf", "Deno, Bun or Node", findHost)
    return yield* makeContainerService(host, settings)
  })

/**
 * The leaf as a layer: {@link make}.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { ContainerShell } from "@sluice/shell/container"
 * import { Effect } from "effect"
 *
 * const commands = ContainerShell.layer({
 *   image: "docker.io/library/node:24",
 *   mounts: [{ source: "/home/me/repository", target: "/work" }],
 *   cwd: "/work",
 *   limits: { memoryBytes: 1024 ** 3, processes: 256 },
 * })
 * const program = Effect.provide(Shell.text(ShellExec.make`npm test`), commands)
 * console.log(Effect.isEffect(program)) // true
 * ```
 */
export const layer = (options: ContainerShellOptions): Layer.Layer<Shell, OptionError> =>
  Layer.effect(Shell, make(options))

/**
 * The leaf in a container that it shares with other leaves: see {@link Container}.
 *
 * @example
 * ```ts
 * import { Container, ContainerShell } from "@sluice/shell/container"
 * import { Layer } from "effect"
 *
 * const commands = ContainerShell.layerOverWith({ cwd: "/work" }).pipe(
 *   Layer.provide(Container.layer({ image: "docker.io/library/node:24" })),
 * )
 * console.log(Layer.isLayer(commands)) // true
 * ```
 */
export const layerOverWith = (options: ContainerLeafOptions): Layer.Layer<Shell, OptionError, Container> =>
  Layer.effect(Shell, makeOver(options))

const makeOver = (options?: ContainerLeafOptions): Effect.Effect<ShellService, OptionError, Container | Scope.Scope> =>
  Effect.flatMap(Container, (container) => container.shell(options))

/**
 * {@link layerOverWith} without options.
 *
 * @example
 * ```ts
 * import { ContainerShell } from "@sluice/shell/container"
 * import { Layer } from "effect"
 *
 * console.log(Layer.isLayer(ContainerShell.layerOver)) // true
 * ```
 */
export const layerOver: Layer.Layer<Shell, never, Container> =
  /* @__PURE__ */ (() => Layer.effect(Shell, assumeValidOptions(makeOver())))()
