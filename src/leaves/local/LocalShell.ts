/**
 * The local leaf: commands run on this machine, by the runtime that runs the program.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { Shell } from "../../shell/Shell.ts"
import { currentHost } from "./currentHost.ts"
import { layerOfHost } from "./layerOfHost.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"

/**
 * The local leaf with settings of your own.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const shell = LocalShell.layerWith({ concurrencyLimit: 16, timeout: "1 minute" })
 * const events = Shell.exec(ShellExec.make("true")).pipe(Stream.runCollect, Effect.provide(shell))
 * console.assert((await Effect.runPromise(events)).at(-1)?._tag === "ShellOutput")
 * ```
 */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell> =>
  layerOfHost("Deno, Bun or Node", currentHost, options)

/** The local leaf with the default settings. */
export const layer: Layer.Layer<Shell> = layerWith({})
