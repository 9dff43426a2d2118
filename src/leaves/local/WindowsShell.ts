/**
 * Makes the local leaf on Windows; on any other system it is a defect.
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

const findWindowsHost = (): Host | undefined => {
  const host = currentHost()
  return host?.os === "windows" ? host : undefined
}

const leaf: LocalLeaf = /* @__PURE__ */ localLeaf("Windows", findWindowsHost, makeLocalService)

/**
 * Makes the local leaf of Windows as a service. Closing the scope ends its watchdog, if it has one.
 * Fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts
 * import { WindowsShell } from "@sluice/shell"
 * import { Effect, Exit } from "effect"
 *
 * const exit = await Effect.runPromiseExit(Effect.scoped(WindowsShell.make({ preferPowerShell: true })))
 * console.log(Exit.isSuccess(exit) === (process.platform === "win32")) // true
 * ```
 *
 * @stability stable
 */
export const make = (options?: LocalShellOptions): Effect.Effect<ShellService, OptionError, Scope.Scope> =>
  leaf.make(options)

/**
 * The local leaf of Windows with the default options.
 *
 * @example
 * ```ts
 * import { PosixShell, Shell, ShellExec, WindowsShell } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const layer = process.platform === "win32" ? WindowsShell.layer : PosixShell.layer
 * const greeting = Shell.text(ShellExec.shell("echo hello")).pipe(Effect.provide(layer))
 * console.log(await Effect.runPromise(greeting)) // hello
 * ```
 *
 * @stability stable
 */
export const layer: Layer.Layer<Shell> = leaf.layer

/**
 * The local leaf of Windows with options. Fails with an `OptionError` for an option that is unknown or invalid.
 * It is a defect on any other
 * system.
 *
 * - Programs are found by PATH and PATHEXT of the command's environment, never in the working directory; events have the full
 *   path. `.cmd` and `.bat` files run through cmd.exe, `.ps1` files through PowerShell, with every argument as given; an
 *   argument that cannot be passed on (a line break to a batch file) is refused.
 * - `useShell` runs cmd.exe, or PowerShell with `preferPowerShell`.
 * - Names of environment variables are case-insensitive.
 * - Exit codes have 32 bits.
 * - Commands end at once: Windows has no signal that requests it, so `grace` does not apply.
 * - Each command is in a job object ({@link LocalShellOptions.useJobObjects}): its whole tree ends with it, and with this
 *   program, however that ends. Bun needs nothing for it; Deno needs `--allow-ffi=C:\Windows\System32\kernel32.dll`. Node
 *   cannot do it and uses `taskkill`: then `capabilities.groupKill` is `"helper"`.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec, WindowsShell } from "@sluice/shell"
 * import { Effect, Exit, Stream } from "effect"
 *
 * const shell = WindowsShell.layerWith({ timeout: "1 minute" })
 * const events = Shell.exec(ShellExec.shell("echo %OS%")).pipe(Stream.runCollect, Effect.provide(shell))
 * const exit = await Effect.runPromiseExit(events)
 * console.log(Exit.isSuccess(exit) === (process.platform === "win32")) // true
 * ```
 *
 * @stability stable
 */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell, OptionError> => leaf.layerWith(options)

/**
 * The local leaf of Windows with options from `Config`: `DEFAULT_SHELL`, `PREFER_POWERSHELL`, `CONCURRENCY_LIMIT`,
 * `QUEUE_LIMIT`, `DEFAULT_TIMEOUT`, `GRACE_PERIOD`, `DRAIN_GRACE`, `WORKING_DIRECTORY`, `INHERIT_ENVIRONMENT`, `LOCAL_BIN` and
 * `USE_JOB_OBJECTS`. Nest it for a prefix.
 *
 * @example
 * ```ts
 * import { Shell, WindowsShell } from "@sluice/shell"
 * import { ConfigProvider, Effect, Exit, Layer } from "effect"
 *
 * const shell = WindowsShell.layerConfig().pipe(
 *   Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ PREFER_POWERSHELL: true }))),
 * )
 * const exit = await Effect.runPromiseExit(Effect.provide(Shell, shell))
 * console.log(Exit.isSuccess(exit) === (process.platform === "win32")) // true
 * ```
 *
 * @stability stable
 */
export const layerConfig = (
  config?: Config.Config<LocalShellOptions>,
): Layer.Layer<Shell, Config.ConfigError | OptionError> => leaf.layerConfig(config)
