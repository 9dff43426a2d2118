/** Finds the host of the runtime that runs this program. */
import { findBunHost } from "./runtimes/findBunHost.ts"
import { findDenoHost } from "./runtimes/findDenoHost.ts"
import { findNodeHost } from "./runtimes/nodeRuntimeHost.ts"
import type { Host } from "./Host.ts"

/** Finds the host of this runtime: Deno, Bun or Node, in this order. */
export const findHost = (): Host | undefined => findDenoHost() ?? findBunHost() ?? findNodeHost()
