/**
 * The local leaf by the rules of POSIX systems (Linux, macOS, BSD).
 *
 * Source: Compute Branch, "Leaf: PosixShell".
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
  return found?.os !== "windows" ? found : undefined
}

/** The leaf with settings of your own; a defect on Windows. */
export const layer = (options: LocalShellOptions = {}): Layer.Layer<Shell> =>
  layerOfHost("a POSIX system", host, options)

/** The leaf with settings from `Config`: `DEFAULT_SHELL`, `CONCURRENCY_LIMIT`, `DEFAULT_TIMEOUT` and the others. */
export const layerConfig = (config?: Config.Config<LocalShellOptions>): Layer.Layer<Shell, Config.ConfigError> =>
  Layer.unwrap(Effect.gen(function* () {
    // Loaded when it is asked for: `Config` and what it brings are a tenth of the time that `mod.ts` takes to load.
    const settings = config ?? (yield* Effect.promise(() => import("./LocalShellConfig.ts"))).posixConfig
    return layer(yield* settings)
  }))
