/** Makes leaves that run commands on this machine, from the functions that find their host and make their service. */
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import { requireHost } from "../../host/requireHost.ts"
import type { Host } from "../../host/Host.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { LocalService } from "./makeLocalService.ts"
import { type LocalShellOptions, type LocalShellSettings, resolveLocalSettings } from "./LocalShellOptions.ts"

/** A leaf that runs commands on this machine. Using it on another runtime or system is a defect. */
export interface LocalLeaf {
  /**
   * Makes the leaf as a service. Closing the scope ends its watchdog, if it has one. Fails with an `OptionError` for an
   * option that is unknown or invalid.
   */
  readonly make: (options?: LocalShellOptions) => Effect.Effect<ShellService, OptionError, Scope.Scope>
  /**
   * The leaf with the default options. A command belongs to the scope of its stream, not of the layer: a detached fiber that
   * runs a command continues after the layer is released, as any detached fiber does; interrupt it.
   */
  readonly layer: Layer.Layer<Shell>
  /** The leaf with options. Fails with an `OptionError` for an option that is unknown or invalid. */
  readonly layerWith: (options: LocalShellOptions) => Layer.Layer<Shell, OptionError>
  /**
   * The leaf with options from `Config`: `DEFAULT_SHELL`, `MAX_CONCURRENCY`, `MAX_QUEUED`, `TIMEOUT`,
   * `GRACE`, `DRAIN_GRACE`, `CWD`, `EXTEND_ENV`, `LOCAL_BIN`; except on Windows `CLEANUP` and
   * `DIE_WITH_PARENT`, on Windows `PREFER_POWERSHELL` and `USE_JOB_OBJECTS`. Nest it for a prefix.
   */
  readonly layerConfig: (
    config?: Config.Config<LocalShellOptions>,
  ) => Layer.Layer<Shell, Config.ConfigError | OptionError>
}

/** Makes a leaf. `leaf` is its name in messages; `runtime` names the required runtime in the message for a missing host. */
export const makeLocalLeaf = (
  leaf: string,
  runtime: string,
  findHost: () => Host | undefined,
  makeService: (host: Host, settings: LocalShellSettings) => LocalService,
): LocalLeaf => {
  const make: LocalLeaf["make"] = (options = {}) =>
    Effect.flatMap(requireHost("leaf", runtime, findHost), (host) =>
      Effect.map(
        Effect.acquireRelease(
          attemptOptions(() => makeService(host, resolveLocalSettings(options, leaf))),
          ({ close }) => Effect.sync(close),
        ),
        ({ shell }) => shell,
      ))
  const layerWith: LocalLeaf["layerWith"] = (options) => Layer.effect(Shell, make(options))
  return {
    make,
    layerWith,
    layer: Layer.effect(Shell, assumeValidOptions(make())),
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
