/**
 * Finds the host of Node's built-in modules, without importing the other runtimes' hosts.
 *
 * @module
 */
import type { Host } from "./Host.ts"
import { nodeProcess } from "./nodeProcess.ts"
import { nodeRuntimeHost } from "./nodeRuntimeHost.ts"

/** Finds the host of `node:child_process`; `undefined` where a runtime has no such module. */
export const findNodeHost = (): Host | undefined => {
  const process = nodeProcess()
  return process === undefined ? undefined : nodeRuntimeHost(process)
}
