/** Loads the `curl` utility when it is first run, so that a script without it does not load it. */
import type { Program } from "../System.ts"

/** `curl [OPTION]... URL...`: transfers URLs that the network policy allows. Source: curl(1). */
export const curl: Program = async (system) => (await import("./curl/curl.ts")).curl(system)
