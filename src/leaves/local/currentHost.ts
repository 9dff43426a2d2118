/**
 * The host of the runtime that runs this program.
 *
 * @module
 */
import { bunApi } from "./bunApi.ts"
import { bunHost } from "./bunHost.ts"
import { denoApi } from "./denoApi.ts"
import { denoHost } from "./denoHost.ts"
import type { Host } from "./Host.ts"
import { nodeProcess } from "./nodeBuiltins.ts"
import { nodeRuntimeHost } from "./nodeRuntimeHost.ts"

/** The host of the runtime that runs this program: Deno, Bun or Node, in this order. */
export const currentHost = (): Host | undefined => {
  const deno = denoApi()
  if (deno !== undefined) return denoHost(deno)
  const process = nodeProcess()
  if (process === undefined) return undefined
  const bun = bunApi()
  return bun === undefined ? nodeRuntimeHost(process) : bunHost(bun, process)
}
