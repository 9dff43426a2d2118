/** Finds the host of the runtime that runs this program. */
import { findBunHost } from "./runtimes/bunHost.ts"
import { findDenoHost } from "./runtimes/denoHost.ts"
import { findNodeHost } from "./runtimes/nodeRuntimeHost.ts"
import type { Host } from "./Host.ts"

/** Finds the host of this runtime: Deno, Bun or Node, in this order. */
export const findHost = (): Host | undefined => findDenoHost() ?? findBunHost() ?? findNodeHost()
