/**
 * Finds the host of Deno, without importing the other runtimes' hosts.
 *
 * @module
 */
import { denoApi } from "./denoApi.ts"
import { denoHost } from "./denoHost.ts"
import type { Host } from "./Host.ts"

/** Finds Deno's host; `undefined` on another runtime. */
export const findDenoHost = (): Host | undefined => {
  const deno = denoApi()
  return deno === undefined ? undefined : denoHost(deno)
}
