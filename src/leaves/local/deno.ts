/**
 * The local leaf on Deno, and nothing of the other runtimes.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { Shell } from "../../shell/Shell.ts"
import { denoApi } from "./denoApi.ts"
import { denoHost } from "./denoHost.ts"
import type { Host } from "./Host.ts"
import { layerOfHost } from "./layerOfHost.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"

const host = (): Host | undefined => {
  const deno = denoApi()
  return deno === undefined ? undefined : denoHost(deno)
}

/** The local leaf on Deno with settings of your own. A defect on another runtime. */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell> => layerOfHost("Deno", host, options)

/** The local leaf on Deno with the default settings. */
export const layer: Layer.Layer<Shell> = layerWith({})
