/** Checks a network policy, and loads what sends requests with the first of them. */
import type { KernelClock } from "../process/KernelClock.ts"
import type { Network } from "./Network.ts"
import { compilePolicy, type NetworkPolicy } from "./NetworkPolicy.ts"

export type NetworkCalls = Pick<Network, "open" | "fetch">

/** Throws an `OptionError` for a part of the policy that is unknown or has an invalid value. */
export const makeNetwork = (policy: NetworkPolicy, clock: KernelClock): NetworkCalls => {
  const compiled = compilePolicy(policy)
  let loading: Promise<Network> | undefined
  const load = (): Promise<Network> =>
    loading ??= import("./Network.ts").then(({ Network }) => new Network(policy, compiled, clock))
  return {
    open: async (request, ended) => (await load()).open(request, ended),
    fetch: async (url, request, ended) => (await load()).fetch(url, request, ended),
  }
}
