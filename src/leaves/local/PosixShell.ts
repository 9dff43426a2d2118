/**
 * Makes the local leaf on POSIX systems (Linux, macOS, BSD); on Windows it is a defect.
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
import type { Host } from "../../host/Host.ts"
import { type LocalLeaf, localLeaf } from "./localLeaf.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"
import { makeLocalService } from "./makeLocalShell.ts"

const findPosixHost = (): Host | undefined => {
  const host = currentHost()
  return host?.os === "windows" ? undefined : host
}

const leaf: LocalLeaf = /* @__PURE__ */ localLeaf("a POSIX system", findPosixHost, makeLocalService)

/**
 * Makes the local leaf of POSIX systems as a service. Closing the scope ends its watchdog, if it has one.
 * Fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts
 * import { PosixShell } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const capabilities = Effect.map(PosixShell.make(), (shell) => shell.capabilities)
 * console.log((await Effect.runPromise(Effect.scoped(capabilities))).platform) // posix
 * ```
 *
 * @stability stable
 */
export const make = (options?: LocalShellOptions): Effect.Effect<ShellService, OptionError, Scope.Scope> =>
  leaf.make(options)

/**
 * The local leaf of POSIX systems with the default options.
 *
 * @example
 * ```ts
 * import { PosixShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const greeting = Shell.text(ShellExec.make`echo hello`).pipe(Effect.provide(PosixShell.layer))
 * console.log(await Effect.runPromise(greeting)) // hello
 * ```
 *
 * @stability stable
 */
export const layer: Layer.Layer<Shell> = leaf.layer

/**
 * The local leaf of POSIX systems with options. Fails with an `OptionError` for an option that is unknown or invalid.
 * It is a defect on Windows.
 *
 * @example
 * ```ts
 * import { PosixShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const shell = PosixShell.layerWith({ cwd: "/", timeout: "1 minute" })
 * console.log(await Effect.runPromise(Effect.provide(Shell.text(ShellExec.make`pwd`), shell))) // /
 * ```
 *
 * @stability stable
 */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell, OptionError> => leaf.layerWith(options)

/**
 * The local leaf of POSIX systems with options from `Config`: `DEFAULT_SHELL`, `CONCURRENCY_LIMIT`, `QUEUE_LIMIT`,
 * `DEFAULT_TIMEOUT`, `GRACE_PERIOD`, `DRAIN_GRACE`, `WORKING_DIRECTORY`, `INHERIT_ENVIRONMENT`, `LOCAL_BIN`, `CLEANUP` and
 * `DIE_WITH_PARENT`. Nest it for a prefix.
 *
 * @example
 * ```ts
 * import { PosixShell, Shell, ShellExec } from "@sluice/shell"
 * import { ConfigProvider, Effect, Layer } from "effect"
 *
 * const shell = PosixShell.layerConfig().pipe(
 *   Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ WORKING_DIRECTORY: "/" }))),
 * )
 * console.log(await Effect.runPromise(Effect.provide(Shell.text(ShellExec.make`pwd`), shell))) // /
 * ```
 *
 * @stability stable
 */
export const layerConfig = (
  config?: Config.Config<LocalShellOptions>,
): Layer.Layer<Shell, Config.ConfigError | OptionError> => leaf.layerConfig(config)
