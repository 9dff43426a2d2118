/** Loads the utility that applies differences when it is first run. */
import type { Program } from "../System.ts"

/**
 * `patch [-p NUM] [-RNsbEflt] [-i PATCH] [-o FILE] [--dry-run] [FILE [PATCH]]`: applies diffs to files. Source:
 * patch(1).
 */
export const patch: Program = async (system) => (await import("./patch/patch.ts")).patch(system)
