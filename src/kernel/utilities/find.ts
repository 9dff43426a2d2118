/** Loads the `find` utility when it is first run. */
import type { Program } from "../System.ts"

/** `find [-HLP] [PATH]... [EXPRESSION]`: finds files below directories. Source: find(1). */
export const find: Program = async (system) => (await import("./find/find.ts")).find(system)
