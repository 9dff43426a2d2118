/**
 * The local leaf on Node, and nothing of the other runtimes.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { Shell } from "../../shell/Shell.ts"
import { nodeRuntimeHost } from "./nodeRuntimeHost.ts"
import type { Host } from "./Host.ts"
import { layerOfHost } from "./layerOfHost.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"
import { nodeProcess } from "./nodeBuiltins.ts"

const host = (): Host | undefined => {
  const process = nodeProcess()
  return process === undefined ? undefined : nodeRuntimeHost(process)
}

/** The local leaf on Node with settings of your own. A defect on another runtime. */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell> => layerOfHost("Node", host, options)

/** The local leaf on Node with the default settings. */
export const layer: Layer.Layer<Shell> = layerWith({})
