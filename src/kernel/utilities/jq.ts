/** Loads the `jq` utility when it is first run, so that a script without it does not load it. */
import type { Program } from "../System.ts"

/** `jq [OPTION]... FILTER [FILE]...`: filters and changes JSON. Source: jq(1). */
export const jq: Program = async (system) => (await import("./jq/jq.ts")).jq(system)
