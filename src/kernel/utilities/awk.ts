/** Loads the `awk` utility when it is first run, so that a script without it does not load it. */
import type { Program } from "../System.ts"

/** `awk [-F FS] [-v NAME=VALUE]... [-f FILE]... [PROGRAM] [FILE | NAME=VALUE]...`: scans and changes text. Source: awk(1). */
export const awk: Program = async (system) => (await import("./awk/awk.ts")).awk(system)
