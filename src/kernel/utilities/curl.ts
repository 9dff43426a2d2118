/** Loads the `curl` utility when it is first run: a script without it need not have it. */
import type { Program } from "../System.ts"

/** `curl [OPTION]... URL...`: transfers URLs that the network policy allows. Source: curl(1). */
export const curl: Program = async (system) => (await import("./curl/curl.ts")).curl(system)
