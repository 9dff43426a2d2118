/** Checks a network policy, and loads the code that sends requests with the first request. */
import type { KernelClock } from "../process/KernelClock.ts"
import type { FetchRequest, FetchResponse } from "./fetchWhole.ts"
import type { Network } from "./Network.ts"
import { compilePolicy, type NetworkPolicy } from "./NetworkPolicy.ts"

export interface NetworkCalls extends Pick<Network, "open"> {
  /** See `fetchWhole`. */
  readonly fetch: (request: FetchRequest, ended: AbortSignal) => Promise<FetchResponse>
}

/** Throws an `OptionError` for a part of the policy that is unknown or has an invalid value. */
export const makeNetwork = (policy: NetworkPolicy, clock: KernelClock): NetworkCalls => {
  const compiled = compilePolicy(policy)
  let loading: Promise<Network> | undefined
  const load = (): Promise<Network> =>
    loading ??= import("./Network.ts").then(({ Network }) => new Network(policy, compiled, clock))
  return {
    open: async (request, ended) => (await load()).open(request, ended),
    fetch: async (request, ended) => {
      const { fetchWhole } = await import("./fetchWhole.ts")
      return fetchWhole(await load(), compiled, clock, request, ended)
    },
  }
}
