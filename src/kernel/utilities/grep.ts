/** Loads the `grep`, `egrep` and `fgrep` utilities when one of them is first run. */
import type { Program } from "../System.ts"

/** `grep [OPTION]... PATTERNS [FILE]...`: prints the lines that match. Source: grep(1). */
export const grep: Program = async (system) => (await import("./grep/grep.ts")).grep(system)

/** `egrep`: `grep -E`. */
export const egrep: Program = async (system) => (await import("./grep/grep.ts")).egrep(system)

/** `fgrep`: `grep -F`. */
export const fgrep: Program = async (system) => (await import("./grep/grep.ts")).fgrep(system)
