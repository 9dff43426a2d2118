/**
 * Finds the host of Bun, without importing the other runtimes' hosts.
 *
 * @module
 */
import { bunApi } from "./bunApi.ts"
import { bunHost } from "./bunHost.ts"
import type { Host } from "./Host.ts"
import { nodeProcess } from "./nodeProcess.ts"

/** Finds Bun's host; `undefined` on another runtime. */
export const findBunHost = (): Host | undefined => {
  const [bun, process] = [bunApi(), nodeProcess()]
  return bun === undefined || process === undefined ? undefined : bunHost(bun, process)
}
