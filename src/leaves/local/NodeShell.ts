/**
 * Makes the local leaf on Node, which runs commands with `node:child_process`, without the code of Deno and Bun.
 *
 * @module
 */
import type * as Config from "effect/Config"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { OptionError } from "../../base/OptionError.ts"
import type { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { findNodeHost } from "../../host/runtimes/nodeRuntimeHost.ts"
import { type LocalLeaf, localLeaf } from "./localLeaf.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"
import { makeLocalService } from "./makeLocalShell.ts"

const leaf: LocalLeaf = /* @__PURE__ */ localLeaf("Node", findNodeHost, makeLocalService)

/**
 * Makes the local leaf on Node as a service. Closing the scope ends its watchdog, if it has one.
 * Fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts node
 * import { ShellExec } from "@sluice/shell"
 * import { NodeShell } from "@sluice/shell/node"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const shell = yield* NodeShell.make({ cwd: "/" })
 *   return yield* Stream.runCollect(shell.exec(ShellExec.make("pwd")))
 * })
 * const events = await Effect.runPromise(Effect.scoped(program))
 * console.log(events[0]?._tag === "ShellOutputChunk" && events[0].content) // /
 * ```
 *
 * @stability stable
 */
export const make = (options?: LocalShellOptions): Effect.Effect<ShellService, OptionError, Scope.Scope> =>
  leaf.make(options)

/**
 * The local leaf on Node with the default options.
 *
 * @example
 * ```ts node
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { NodeShell } from "@sluice/shell/node"
 * import { Effect } from "effect"
 *
 * const program = Effect.provide(Shell.run(ShellExec.make("echo", ["hello"])), NodeShell.layer)
 * console.log((await Effect.runPromise(program)).stdout) // hello
 * ```
 *
 * @stability stable
 */
export const layer: Layer.Layer<Shell> = leaf.layer

/**
 * The local leaf on Node with options. Fails with an `OptionError` for an option that is unknown or invalid.
 * It is a defect on another runtime.
 *
 * @example
 * ```ts node
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { NodeShell } from "@sluice/shell/node"
 * import { Effect } from "effect"
 *
 * const shell = NodeShell.layerWith({ cwd: "/", concurrencyLimit: 16, timeout: "1 minute" })
 * const { stdout } = await Effect.runPromise(Effect.provide(Shell.run(ShellExec.make("pwd")), shell))
 * console.log(stdout) // /
 * ```
 *
 * @stability stable
 */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell, OptionError> => leaf.layerWith(options)

/**
 * The local leaf on Node with options from `Config`: the same names as of `LocalShell.layerConfig`.
 *
 * @example
 * ```ts node
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { NodeShell } from "@sluice/shell/node"
 * import { ConfigProvider, Effect } from "effect"
 *
 * const provider = ConfigProvider.fromUnknown({ WORKING_DIRECTORY: "/" })
 * const program = Shell.run(ShellExec.make("pwd")).pipe(
 *   Effect.provide(NodeShell.layerConfig()),
 *   Effect.provideService(ConfigProvider.ConfigProvider, provider),
 * )
 * console.log((await Effect.runPromise(program)).stdout) // /
 * ```
 *
 * @stability stable
 */
export const layerConfig = (
  config?: Config.Config<LocalShellOptions>,
): Layer.Layer<Shell, Config.ConfigError | OptionError> => leaf.layerConfig(config)
