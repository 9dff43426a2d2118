/** Loads the `wget` utility when it is first run, so that a script without it does not load it. */
import type { Program } from "../System.ts"

/** `wget [OPTION]... URL...`: downloads URLs that the network policy allows. Source: wget(1). */
export const wget: Program = async (system) => (await import("./wget/wget.ts")).wget(system)
