/**
 * Makes the local leaf, which runs commands on this machine through Deno, Bun or Node.
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
import { currentHost } from "../../host/currentHost.ts"
import { type LocalLeaf, localLeaf } from "./localLeaf.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"
import { makeLocalService } from "./makeLocalShell.ts"

const leaf: LocalLeaf = /* @__PURE__ */ localLeaf("Deno, Bun or Node", currentHost, makeLocalService)

/**
 * Makes the local leaf as a service. Closing the scope ends its watchdog, if it has one.
 * Fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts
 * import { LocalShell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const shell = yield* LocalShell.make({ timeout: "1 minute" })
 *   return yield* shell.exec(ShellExec.make`echo hello`).pipe(Stream.runCollect)
 * })
 * console.log((await Effect.runPromise(Effect.scoped(program))).at(-1)?._tag) // ShellOutput
 * ```
 *
 * @stability stable
 */
export const make = (options?: LocalShellOptions): Effect.Effect<ShellService, OptionError, Scope.Scope> =>
  leaf.make(options)

/**
 * The local leaf with the default options. A command belongs to the scope of its stream, not to that of the layer: a detached
 * fiber that runs one goes on when the layer is released, as any detached fiber does; interrupt it.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const greeting = Shell.text(ShellExec.make`echo hello`).pipe(Effect.provide(LocalShell.layer))
 * console.log(await Effect.runPromise(greeting)) // hello
 * ```
 *
 * @stability stable
 */
export const layer: Layer.Layer<Shell> = leaf.layer

/**
 * The local leaf with options. Fails with an `OptionError` for an option that is unknown or invalid.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const shell = LocalShell.layerWith({ concurrencyLimit: 16, timeout: "1 minute" })
 * const events = Shell.exec(ShellExec.make("true")).pipe(Stream.runCollect, Effect.provide(shell))
 * console.log((await Effect.runPromise(events)).at(-1)?._tag) // ShellOutput
 * ```
 *
 * @stability stable
 */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell, OptionError> => leaf.layerWith(options)

/**
 * The local leaf with options from `Config`: `DEFAULT_SHELL`, `CONCURRENCY_LIMIT`, `QUEUE_LIMIT`,
 * `DEFAULT_TIMEOUT`, `GRACE_PERIOD`, `DRAIN_GRACE`, `WORKING_DIRECTORY`, `INHERIT_ENVIRONMENT`, `LOCAL_BIN`; except on Windows
 * `CLEANUP` and `DIE_WITH_PARENT`, on Windows `PREFER_POWERSHELL` and `USE_JOB_OBJECTS`. Nest it for a prefix.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { ConfigProvider, Effect, Layer } from "effect"
 *
 * const shell = LocalShell.layerConfig().pipe(
 *   Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ WORKING_DIRECTORY: "/" }))),
 * )
 * const directory = Shell.text(ShellExec.make`pwd`).pipe(Effect.provide(shell))
 * console.log(await Effect.runPromise(directory)) // /
 * ```
 *
 * @stability stable
 */
export const layerConfig = (
  config?: Config.Config<LocalShellOptions>,
): Layer.Layer<Shell, Config.ConfigError | OptionError> => leaf.layerConfig(config)
