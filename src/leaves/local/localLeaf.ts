/**
 * Builds the constructors and layers of a local leaf, with given options or those of `Config`, from the functions that
 * find its host and make its service.
 */
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { attemptOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { requireHost } from "../../host/requireHost.ts"
import type { Host } from "../../host/Host.ts"
import type { LocalService } from "./makeLocalShell.ts"
import { type LocalShellOptions, type LocalShellSettings, resolveLocalSettings } from "./LocalShellOptions.ts"

/** The constructors and layers of a local leaf. */
export interface LocalLeaf {
  readonly make: (options?: LocalShellOptions) => Effect.Effect<ShellService, OptionError, Scope.Scope>
  readonly layer: Layer.Layer<Shell>
  readonly layerWith: (options: LocalShellOptions) => Layer.Layer<Shell, OptionError>
  readonly layerConfig: (
    config?: Config.Config<LocalShellOptions>,
  ) => Layer.Layer<Shell, Config.ConfigError | OptionError>
}

/**
 * Builds a local leaf. It is a defect if there is no host when the leaf is made: no program can repair that.
 *
 * @param runtime What the leaf needs, for the message of that defect.
 */
export const localLeaf = (
  runtime: string,
  findHost: () => Host | undefined,
  makeService: (host: Host, settings: LocalShellSettings) => LocalService,
): LocalLeaf => {
  const make: LocalLeaf["make"] = (options = {}) =>
    Effect.flatMap(requireHost("leaf", runtime, findHost), (host) =>
      Effect.map(
        Effect.acquireRelease(
          attemptOptions(() => makeService(host, resolveLocalSettings(options))),
          ({ close }) => Effect.sync(close),
        ),
        ({ shell }) => shell,
      ))
  const layerWith: LocalLeaf["layerWith"] = (options) => Layer.effect(Shell, make(options))
  return {
    make,
    layerWith,
    // The default options are valid.
    layer: Layer.orDie(layerWith({})),
    layerConfig: (config) =>
      Layer.unwrap(Effect.gen(function* () {
        const host = yield* requireHost("leaf", runtime, findHost)
        // Imported on demand: `Config` and its imports are a tenth of the time that `mod.ts` takes to load.
        const configs = config === undefined ? yield* Effect.promise(() => import("./LocalShellConfig.ts")) : undefined
        const fallback = host.os === "windows" ? configs?.windowsConfig : configs?.posixConfig
        const options = config ?? fallback
        return layerWith(options === undefined ? {} : yield* options)
      })),
  }
}
