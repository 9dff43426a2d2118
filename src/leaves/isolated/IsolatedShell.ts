/**
 * Makes the isolated leaf: chosen folders, a private network and no privileges.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { OptionError } from "../../base/OptionError.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { Enclosure } from "../local/Enclosure.ts"
import { makeLocalService } from "../local/makeLocalService.ts"
import { denoAdvice } from "./advice.ts"
import { checkVisible, notInPlace } from "./checkVisible.ts"
import { makeCommandNetwork } from "./CommandNetwork.ts"
import { enclose } from "./enclose.ts"
import { IsolatedHost } from "./IsolatedHost.ts"
import { findIsolationEngine } from "./findIsolationEngine.ts"
import { type IsolatedShellOptions, resolveIsolatedSettings } from "./IsolatedShellOptions.ts"
import { IsolationError } from "./IsolationError.ts"
import { makeLaunchFiles } from "./LaunchFiles.ts"
import { makeMounts } from "./makeMounts.ts"
import { planMounts } from "./planMounts.ts"
import { hasFilter, makeFilter } from "./seccomp/makeFilter.ts"

export { fileRules, type IsolatedFileRules } from "./fileRules.ts"
export {
  defaultVariables,
  type IsolatedNetwork,
  type IsolatedShellOptions,
  type IsolationEngine,
} from "./IsolatedShellOptions.ts"

const noLaunchFiles = (error: unknown): IsolationError =>
  new IsolationError({
    attempts: [],
    message:
      `isolation: the leaf's own folder could not be made (${
        errorMessage(error)
      }): set TMPDIR to a folder that can be ` +
      `written; ${denoAdvice}`,
  })

/** A missing permission of Deno; anything else is a defect. */
const refusedByDeno = (defect: unknown): Effect.Effect<never, IsolationError> =>
  defect instanceof Error && defect.name === "NotCapable"
    ? Effect.fail(new IsolationError({ attempts: [], message: `isolation: ${errorMessage(defect)}; ${denoAdvice}` }))
    : Effect.die(defect)

/** Characters of a folder for sockets that leave room for their names. */
const maxSocketFolder = 70

/**
 * Makes the isolated leaf as a service, after a real command has shown that the isolation works. Fails with an
 * `IsolationError` if it does not: no command ever runs unprotected.
 *
 * @example
 * ```ts
 * import { IsolatedShell } from "@sluice/shell/isolated"
 * import { Effect } from "effect"
 *
 * const shell = IsolatedShell.make({ writable: ["/work/project"], network: "none" })
 * console.log(Effect.isEffect(shell)) // true
 * ```
 */
export const make = (
  options: IsolatedShellOptions = {},
): Effect.Effect<ShellService, IsolationError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const host = yield* IsolatedHost
    if (host === undefined) {
      return yield* new IsolationError({ attempts: [], message: "isolation: no process can be started here" })
    }
    const settings = yield* attemptOptions(() => resolveIsolatedSettings(options))
    const arch = nodeBuiltins()?.arch ?? ""
    const plan = yield* attemptOptions(() => planMounts(host, settings))
    const makeFiles = Effect.acquireRelease(
      Effect.try({
        try: () => makeLaunchFiles(hasFilter(arch) ? makeFilter(arch) : new Uint8Array(), plan.writable),
        catch: (error) => error instanceof OptionError ? error : noLaunchFiles(error),
      }),
      (each) => Effect.sync(each.release),
    )
    const mounts = yield* makeMounts(host, settings, plan, makeFiles)
    const { files } = mounts
    const walls = yield* findIsolationEngine(host, settings, mounts.current, files)
    // Sockets in the folder of the leaf are removed with it, even if this program is killed; the path of a socket must
    // be short.
    const folder = files.directory.length < maxSocketFolder ? files.directory : undefined
    const network = settings.network === "none" ? undefined : yield* makeCommandNetwork({ folder, ...settings.network })
    const local = { ...settings.local, cwd: settings.local.cwd ?? plan.writable[0] ?? "/" }
    const enclosure: Enclosure = {
      leaf: "isolated",
      isolates: true,
      wrap: (inner) => enclose(inner, walls, settings.env, files, network),
      check: (exec, command) => {
        const replaced = mounts.replaced()
        return replaced === undefined ? checkVisible(host, mounts.current(), exec, command) : notInPlace(exec, replaced)
      },
    }
    const { shell } = yield* Effect.acquireRelease(
      attemptOptions(() => makeLocalService(host, local, enclosure)),
      ({ close }) => Effect.sync(close),
    )
    return shell
  }).pipe(Effect.catchDefect(refusedByDeno))

/**
 * The isolated leaf as a layer: nothing of the host is writable, and there is no network. Fails with an `IsolationError` where
 * no walls can be built.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { IsolatedShell } from "@sluice/shell/isolated"
 * import { Effect } from "effect"
 *
 * const names = Shell.text(cmd`ls /`).pipe(Effect.provide(IsolatedShell.layer))
 * console.log(Effect.isEffect(names)) // true
 * ```
 */
export const layer: Layer.Layer<Shell, IsolationError> = Layer.effect(
  Shell,
  assumeValidOptions(make()),
)

/**
 * {@link layer} with options. Fails with an `OptionError` for an option that is unknown or invalid.
 *
 * @example
 * ```ts
 * import { IsolatedShell } from "@sluice/shell/isolated"
 * import { Layer } from "effect"
 *
 * const shell = IsolatedShell.layerWith({ writable: ["/work/project"], readable: ["~/.gitconfig"], network: "none" })
 * console.log(Layer.isLayer(shell)) // true
 * ```
 */
export const layerWith = (options: IsolatedShellOptions): Layer.Layer<Shell, IsolationError | OptionError> =>
  Layer.effect(Shell, make(options))
