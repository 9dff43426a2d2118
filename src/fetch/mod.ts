/**
 * Exports the Http branch: URL requests under a network policy, over the network, through a cache, or scripted.
 *
 * @module
 */
export * as CachedFetch from "./CachedFetch.ts"
export { Fetch, type FetchService } from "./Fetch.ts"
export * as FetchLeaf from "./FetchLeaf.ts"
export type { FetchPolicy } from "./FetchPolicy.ts"
export { HttpBranch } from "./HttpBranch.ts"
export { HttpFault, HttpFaultKind, HttpFetch, HttpResponse } from "./HttpEntry.ts"
export * as MockFetch from "./MockFetch.ts"
