/** Loads the `rg` utility when it is first run. */
import type { Program } from "../System.ts"

/** `rg [OPTION]... PATTERN [PATH]...`: searches trees for lines that match. Source: rg(1), ripgrep 13. */
export const rg: Program = async (system) => (await import("./rg/rg.ts")).rg(system)
