/** Loads the `diff` utility when it is first run. */
import type { Program } from "../System.ts"

/** `diff [OPTION]... FILE1 FILE2`: prints the differences between files or directories. Source: diff(1). */
export const diff: Program = async (system) => (await import("./diff/diff.ts")).diff(system)
