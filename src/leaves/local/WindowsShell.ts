/**
 * The local leaf by the rules of Windows.
 *
 * Source: Compute Branch, "Leaf: WindowsShell".
 *
 * @module
 */
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Shell } from "../../shell/Shell.ts"
import type { Host } from "./Host.ts"
import { layerOfHost } from "./layerOfHost.ts"
import { currentHost } from "./currentHost.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"

const host = (): Host | undefined => {
  const found = currentHost()
  return found?.os === "windows" ? found : undefined
}

/**
 * The leaf with settings of your own; a defect on any other system.
 *
 * - Programs are found by PATH and PATHEXT of the command's environment, never in the working directory; the events
 *   tell the full path. `.cmd` and `.bat` files run through cmd.exe, `.ps1` files through PowerShell, with every
 *   argument as it was given; what cannot be carried (a line break to a batch file) is refused.
 * - `useShell` is cmd.exe, or PowerShell by `preferPowerShell`.
 * - Names of environment variables have no case.
 * - Exit codes have 32 bits.
 * - Commands end at once: there is no signal to ask them with, so `grace` is not waited for.
 * - Each command is in a job object ({@link LocalShellOptions.useJobObjects}): its whole tree ends with it, and with
 *   this program, however that ends. Bun needs nothing for it; Deno needs
 *   `--allow-ffi=C:\Windows\System32\kernel32.dll`. Node has no way to it and takes `taskkill`: then
 *   `capabilities.groupKill` is `"helper"`.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec, WindowsShell } from "@sluice/shell"
 * import { Effect, Exit, Stream } from "effect"
 *
 * const shell = WindowsShell.layer({ timeout: "1 minute" })
 * const events = Shell.exec(ShellExec.shell("echo %OS%")).pipe(Stream.runCollect, Effect.provide(shell))
 * const exit = await Effect.runPromiseExit(events)
 * console.assert(Exit.isSuccess(exit) === (process.platform === "win32"))
 * ```
 */
export const layer = (options: LocalShellOptions = {}): Layer.Layer<Shell> => layerOfHost("Windows", host, options)

/**
 * The leaf with settings from `Config`: `DEFAULT_SHELL`, `PREFER_POWERSHELL`, `CONCURRENCY_LIMIT`, `DEFAULT_TIMEOUT`,
 * `USE_JOB_OBJECTS` and the others.
 */
export const layerConfig = (config?: Config.Config<LocalShellOptions>): Layer.Layer<Shell, Config.ConfigError> =>
  Layer.unwrap(Effect.gen(function* () {
    // Loaded when it is asked for: `Config` and what it brings are a tenth of the time that `mod.ts` takes to load.
    const settings = config ?? (yield* Effect.promise(() => import("./LocalShellConfig.ts"))).windowsConfig
    return layer(yield* settings)
  }))
