/**
 * The local leaf on Bun, and nothing of the other runtimes.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { Shell } from "../../shell/Shell.ts"
import { bunApi } from "./bunApi.ts"
import { bunHost } from "./bunHost.ts"
import type { Host } from "./Host.ts"
import { layerOfHost } from "./layerOfHost.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"
import { nodeProcess } from "./nodeBuiltins.ts"

const host = (): Host | undefined => {
  const [bun, process] = [bunApi(), nodeProcess()]
  return bun === undefined || process === undefined ? undefined : bunHost(bun, process)
}

/** The local leaf on Bun with settings of your own. A defect on another runtime. */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell> => layerOfHost("Bun", host, options)

/** The local leaf on Bun with the default settings. */
export const layer: Layer.Layer<Shell> = layerWith({})
